import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { md5Hex, sha1, uuidV5 } from "../../../src/base/digest.ts";

/** Around the lengths at which padding takes another block. */
const TEXTS = [0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 1000].flatMap((length) => [
  "a".repeat(length),
  "é".repeat(length),
]);

describe("digests", () => {
  it("are those of the standards", () => {
    for (const text of TEXTS) {
      expect(md5Hex(text)).toBe(createHash("md5").update(text).digest("hex"));
      expect(Buffer.from(sha1(new TextEncoder().encode(text))).toString("hex")).toBe(
        createHash("sha1").update(text).digest("hex"),
      );
    }
  });

  it("make the UUIDs listed in RFC 9562", () => {
    expect(uuidV5("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "www.example.com")).toBe(
      "2ed6657d-e927-568b-95e1-2665a8aea6a2",
    );
  });
});
