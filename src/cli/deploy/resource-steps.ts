// Steps for permanent resources: queues, buckets, a vector index.
//
//   DRS1. A queue that is only consumed, such as that of dead letters, is made before the code. A queue that the code
//         sends to is made with it.
//   DRS2. A vector index has all its metadata indexes before the code can write a vector: they do not cover earlier
//         vectors.
//   DRS3. An index must be as wide as the embedder's vectors, or the deployment stops.
import { sleep } from "../../base/clock.ts";
import { VECTORIZE_METADATA_INDEXES } from "../../wire/metadata-indexes.ts";
import { CliFailure, wrongUse } from "../cli-failure.ts";
import type { VectorIndexInfo } from "../cloud/cloud.ts";
import { eachInTurn, type Action, type DeployStep, type Deployment } from "./deployment.ts";

export const queuesStep: DeployStep = {
  name: "queues",
  look: async ({ cloud, environment, place }) => {
    const { jurisdiction } = place;
    const flags = jurisdiction === undefined ? [] : ["--jurisdiction", jurisdiction];
    const produced = new Set(environment.producers.map(({ queue }) => queue));
    return eachInTurn(environment.queues, async (name): Promise<Action> => {
      const about = `queue ${name}`;
      if (await cloud.hasQueue(name)) return { about, state: "there" };
      // wrangler makes these by itself, but without a location.
      if (produced.has(name) && jurisdiction === undefined)
        return { about, state: "to create", command: cloud.describe(["deploy"]) };
      return {
        about,
        state: "to create",
        command: cloud.describe(["queues", "create", name, ...flags]),
        run: () => cloud.createQueue(name, place),
      };
    });
  },
};

export const bucketsStep: DeployStep = {
  name: "buckets",
  look: ({ cloud, environment, place }) =>
    eachInTurn(environment.buckets, async ({ name }): Promise<Action> => {
      const about = `R2 bucket ${name}`;
      if ((await cloud.bucket(name, place)) !== undefined) return { about, state: "there" };
      const where = Object.entries(place).flatMap(([key, value]) => [`--${key}`, value]);
      return {
        about,
        state: "to create",
        command: cloud.describe(["r2", "bucket", "create", name, ...where]),
        run: () => cloud.createBucket(name, place),
      };
    }),
};

const METRIC = "cosine";
const LISTING_PAUSE_MS = 5_000;
/** Two minutes. */
const LISTING_TRIES = 24;

export function vectorsStep(dimensions: number | undefined): DeployStep {
  return {
    name: "vectors",
    look: async (deployment) => {
      const { indexes } = deployment.environment;
      if (indexes.length === 0) return [];
      const there = await deployment.cloud.indexes();
      const actions = await eachInTurn(indexes, ({ name }) => {
        const found = there.find((each) => each.name === name);
        return indexActions(deployment, { name, found, dimensions });
      });
      return actions.flat();
    },
  };
}

type WantedIndex = {
  readonly name: string;
  readonly found: VectorIndexInfo | undefined;
  readonly dimensions: number | undefined;
};

/** Throws for an index without a known number of dimensions, and for one with another number. */
function checkDimensions({ name, found, dimensions }: WantedIndex): void {
  if (found === undefined && dimensions === undefined)
    throw wrongUse(
      `the Vectorize index ${name} is missing, and its number of dimensions is unknown`,
      "--dimensions with that of the embedder, such as 1536 of openai/text-embedding-3-small",
    );
  if (found !== undefined && dimensions !== undefined && found.dimensions !== dimensions)
    throw new CliFailure(
      1,
      `the Vectorize index ${name} has ${found.dimensions} dimensions, and the embedder ${dimensions}`,
      {
        code: "wrong_dimensions",
        fix: "name a new index in the configuration; memories and documents are embedded into it when they are saved again",
      },
    );
}

async function indexActions(
  deployment: Deployment,
  wanted: WantedIndex,
): Promise<readonly Action[]> {
  const { cloud } = deployment;
  const { name, found, dimensions } = wanted;
  checkDimensions(wanted);
  const listed = found === undefined ? [] : await cloud.metadataIndexes(name);
  const missing = VECTORIZE_METADATA_INDEXES.filter((each) => !listed.includes(each));
  const index: VectorIndexInfo = { name, dimensions: dimensions ?? 0, metric: METRIC };
  return [
    found === undefined
      ? {
          about: `Vectorize index ${name}, ${dimensions} dimensions`,
          state: "to create",
          command: cloud.describe([
            "vectorize",
            "create",
            name,
            `--dimensions=${dimensions}`,
            `--metric=${METRIC}`,
          ]),
          run: () => cloud.createIndex(index),
        }
      : { about: `Vectorize index ${name}`, state: "there" },
    ...missing.map((property): Action => ({
      about: `metadata index ${property} of ${name}`,
      state: "to create",
      command: cloud.describe([
        "vectorize",
        "create-metadata-index",
        name,
        `--propertyName=${property}`,
        "--type=string",
      ]),
      run: () => cloud.createMetadataIndex(name, property),
    })),
    ...(missing.length === 0
      ? []
      : [
          {
            about: `wait until ${name} lists its metadata indexes`,
            state: "to do" as const,
            command: cloud.describe(["vectorize", "list-metadata-index", name, "--json"]),
            run: () => allListed(deployment, name),
          },
        ]),
  ];
}

async function allListed({ cloud, clock, signal }: Deployment, name: string): Promise<void> {
  let missing: readonly string[] = VECTORIZE_METADATA_INDEXES;
  for (let attempt = 0; attempt < LISTING_TRIES; attempt++) {
    const listed = await cloud.metadataIndexes(name);
    missing = VECTORIZE_METADATA_INDEXES.filter((each) => !listed.includes(each));
    if (missing.length === 0) return;
    await sleep(clock, LISTING_PAUSE_MS, signal);
  }
  throw new CliFailure(
    5,
    `the Vectorize index ${name} still does not list its metadata indexes ${missing.join(", ")}`,
  );
}
