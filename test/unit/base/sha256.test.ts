import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { Sha256, sha256Hex } from "../../../src/base/sha256.ts";

it("hashes the empty text and a text of two blocks as in FIPS 180-4", () => {
  expect(sha256Hex("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(sha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")).toBe(
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  );
});

it("agrees with Node's own hash on any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
      expect(sha256Hex(text)).toBe(createHash("sha256").update(text, "utf8").digest("hex"));
    }),
  );
});

it("digests bytes in pieces of any size, also when its state is stored between two blocks", () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 12 });
  fc.assert(
    fc.property(pieces, (list) => {
      const theirs = createHash("sha256");
      let ours = new Sha256();
      for (const piece of list) {
        theirs.update(piece);
        ours.update(piece);
        const { state } = ours;
        if (state !== undefined) ours = new Sha256(JSON.parse(JSON.stringify(state)));
      }
      expect(ours.hex()).toBe(theirs.digest("hex"));
    }),
  );
  const whole = new Sha256().update(new Uint8Array(64));
  expect(whole.state?.bytes).toBe(64);
  expect(new Sha256().update(new Uint8Array(65)).state).toBeUndefined();
});
