import { expect, it, vi } from "vitest";
import { DeployWorld } from "../../support/deploy-world.ts";

vi.setConfig({ testTimeout: 60_000 });

const schema = (newest: number, writes = newest) => ({
  reads: Array.from({ length: newest }, (_, index) => index + 1),
  writes,
});

const sharesOf = (world: DeployWorld): unknown => world.deployed?.deployments.at(-1)?.versions;

/** One deployment after another, each with the package of that storage layout. */
async function deployedWith(
  schemas: readonly ReturnType<typeof schema>[],
  world = new DeployWorld({ worker: silent }),
): Promise<DeployWorld> {
  for (const each of schemas) {
    world.install("0.2.0", each);
    const { code, err } = await world.run("deploy --yes --no-smoke");
    if (code !== 0) throw new Error(err);
  }
  return world;
}

/** A Worker that says nothing of itself: tags are all that there is. */
function silent(path: string): Response | undefined {
  return path === "/about" ? Response.json({}, { status: 404 }) : undefined;
}

it("OSC2: a version has its layout in its tag", async () => {
  const world = await deployedWith([schema(3), schema(4, 3)]);
  expect(world.deployed?.versions.map(({ tag }) => tag)).toEqual(["0.2.0+o3", "0.2.0+o4w3"]);
});

it("OSC1: refuses a rollback to code that cannot open the written runs (DP19)", async () => {
  const world = await deployedWith([schema(3), schema(4)]);
  const { code, err } = await world.run("rollback --no-smoke");
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/storage layout 4, and this code can open 1, 2, 3/),
  ]);
  expect(sharesOf(world)).toEqual([["version-2", 100]]);
});

it("OSC1: rollback goes to code for the written layout, and not past it (DP19)", async () => {
  const world = await deployedWith([schema(3), schema(4, 3), schema(4)]);
  expect((await world.run("rollback --no-smoke")).code).toBe(0);
  expect(sharesOf(world)).toEqual([["version-2", 100]]);
  // What the version in between has written is still there.
  const further = await world.run("rollback version-1 --no-smoke");
  expect([further.code, further.err]).toEqual([1, expect.stringContaining("layout 4")]);
});

it("OSC1: the Worker's own layout counts, whatever its tag is (DP19)", async () => {
  const world = await deployedWith([schema(2)], new DeployWorld()); // it says 3
  await world.run("deploy --yes --no-smoke --force object_schema");
  const { code, err } = await world.run("rollback --no-smoke");
  expect([code, err]).toEqual([1, expect.stringContaining("storage layout 3")]);
});

it("rolls back to a version with an unknown layout, with a notice", async () => {
  const world = new DeployWorld({ worker: silent });
  for (let time = 0; time < 2; time++) await world.run("deploy --yes --no-smoke --tag mine");
  const { code, err } = await world.run("rollback --no-smoke");
  expect([code, err]).toEqual([0, expect.stringContaining("is unknown")]);
});

it("OSC1: refuses to deploy code that cannot open the present layout, without --force", async () => {
  const world = await deployedWith([schema(4)]);
  world.install("0.1.0", schema(3));
  const { code, err } = await world.run("deploy --yes --no-smoke");
  expect([code, err]).toEqual([1, expect.stringMatching(/newer code than this[\s\S]*layout 4/)]);
  expect(sharesOf(world)).toEqual([["version-1", 100]]);
  const forced = await world.run("deploy --yes --no-smoke --force object_schema");
  expect([forced.code, sharesOf(world)]).toEqual([0, [["version-2", 100]]]);
});

it("OSC1: code with a layout the old code cannot open does not share requests with it (DP18)", async () => {
  const world = await deployedWith([schema(3)]);
  world.install("0.2.0", schema(4));
  const { code, err } = await world.run("deploy --gradual 10 --no-smoke");
  expect([code, err]).toEqual([1, expect.stringContaining("beside the old one")]);
  expect(world.deployed?.versions).toHaveLength(1);
  const whole = await world.run("deploy --yes --no-smoke");
  expect([whole.code, whole.err]).toEqual([0, expect.stringContaining("cannot be brought back")]);
});
