// What every cache of uploads does, wherever it is.
import { describe, expect, it } from "vitest";
import { MAX_UPLOADS, UPLOAD_MARGIN_MS, type UploadCache } from "../../src/files/upload-cache.ts";
import { SimulatedClock } from "../../src/testing/simulated-clock.ts";

const HOUR = 3_600_000;

export function describeUploadCache({
  name,
  open,
}: {
  readonly name: string;
  /** The caches of two tenants. */
  readonly open: (clock: SimulatedClock) => Promise<{ ours: UploadCache; theirs: UploadCache }>;
}): void {
  describe(`uploads ${name}`, () => {
    const key = { provider: "openai", account: "acc", sha256: "aa" };
    const begin = async () => {
      const clock = new SimulatedClock();
      const upload = { fileId: "file-1", model: "openai/m", expiresAtMs: clock.now() + HOUR };
      return { clock, upload, ...(await open(clock)) };
    };

    it("UPF2: are found by provider, account and content alone, and by their tenant", async () => {
      const { ours, theirs, upload } = await begin();
      await ours.put(key, upload);
      expect(await ours.get(key)).toMatchObject(upload);
      for (const other of [{ provider: "anthropic" }, { account: "other" }, { sha256: "bb" }])
        expect(await ours.get({ ...key, ...other })).toBeUndefined();
      expect(await theirs.get(key)).toBeUndefined();
      expect(await theirs.ofFile("aa")).toEqual([]);
    });

    it("are not found shortly before they expire", async () => {
      const { ours, upload, clock } = await begin();
      await ours.put(key, upload);
      await clock.advance(HOUR - UPLOAD_MARGIN_MS - 1);
      expect(await ours.get(key)).toBeDefined();
      await clock.advance(1);
      expect(await ours.get(key)).toBeUndefined();
    });

    it("are replaced, listed by file, and deleted", async () => {
      const { ours, upload } = await begin();
      await ours.put(key, upload);
      await ours.put(key, { ...upload, fileId: "file-2" });
      await ours.put({ ...key, provider: "anthropic" }, { ...upload, fileId: "file-3" });
      const found = await ours.ofFile("aa");
      expect(
        found
          .map(({ provider, fileId }) => [provider, fileId])
          .toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
      ).toEqual([
        ["anthropic", "file-3"],
        ["openai", "file-2"],
      ]);
      await ours.delete(key);
      expect(await ours.get(key)).toBeUndefined();
      expect(await ours.ofFile("aa")).toHaveLength(1);
    });

    it("are bounded: the oldest go", async () => {
      const { ours, upload, clock } = await begin();
      const keyOf = (index: number) => ({ ...key, sha256: `file${index}` });
      for (let index = 0; index < MAX_UPLOADS + 2; index++) {
        await ours.put(keyOf(index), upload);
        if (index < 3) await clock.advance(1);
      }
      expect(await ours.get(keyOf(0))).toBeUndefined();
      expect(await ours.get(keyOf(1))).toBeUndefined();
      expect(await ours.get(keyOf(2))).toBeDefined();
      expect(await ours.get(keyOf(MAX_UPLOADS + 1))).toBeDefined();
    }, 60_000);
  });
}
