import * as fc from "fast-check";
import ipaddr from "ipaddr.js";
import { describe, expect, it } from "vitest";
import { ipAddress, isLoopbackAddress, isPublicAddress } from "../../../src/security/ip-address.ts";

/** A host as a URL has it, without brackets. */
const hostOf = (address: string): string =>
  new URL(`http://${address.includes(":") ? `[${address}]` : address}`).hostname.replace(
    /^\[|\]$/g,
    "",
  );

type Ranges = Readonly<Record<string, readonly unknown[]>>;
type Start = { readonly toByteArray: () => number[] };

/** Beginnings of all ranges that another library knows, with their lengths in bits. */
const KNOWN = [ipaddr.IPv4, ipaddr.IPv6].flatMap(({ prototype }) =>
  Object.values((prototype as unknown as { readonly SpecialRanges: Ranges }).SpecialRanges)
    .flatMap((range) => (Array.isArray(range[0]) ? range : [range]))
    .map((range) => {
      const [start, bits] = range as readonly [Start, number];
      return { start: start.toByteArray(), bits };
    }),
);

/** Addresses in the ranges, at their edges and just outside. */
const nearRanges = fc
  .record({
    range: fc.constantFrom(...KNOWN),
    end: fc.constantFrom("first", "last", "before", "after", "within"),
    noise: fc.array(fc.nat(255), { minLength: 16, maxLength: 16 }),
  })
  .map(({ range: { start, bits }, end, noise }) => {
    const size = BigInt(start.length * 8 - bits);
    const first = start.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
    const random = noise.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n) % (1n << size);
    const all = 1n << BigInt(start.length * 8);
    const at = {
      first,
      last: first + (1n << size) - 1n,
      before: first - 1n,
      after: first + (1n << size),
      within: first + random,
    }[end];
    const value = ((at % all) + all) % all;
    const bytes = start.map((_, index) =>
      Number((value >> BigInt(8 * (start.length - 1 - index))) & 255n),
    );
    return ipaddr.fromByteArray(bytes).toString();
  });

describe("addresses of machines", () => {
  it.each([
    ["any IPv4", fc.ipV4()],
    ["any IPv6", fc.ipV6()],
    ["those near ranges", nearRanges],
  ])("are public and of this machine as ipaddr.js has them: %s", (_, addresses) => {
    expect(KNOWN.length).toBeGreaterThan(40);
    fc.assert(
      fc.property(addresses, (address) => {
        const host = hostOf(address);
        const theirs = ipaddr.process(host).range();
        const ours = ipAddress(host) ?? [];
        expect([host, isPublicAddress(ours), isLoopbackAddress(ours)]).toEqual([
          host,
          theirs === "unicast",
          theirs === "loopback",
        ]);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each(["example.com", "1.2.3", "1.2.3.256", "a.b.c.d", "", ":", "1:2", "::1::", "12345::g"])(
    "%j is not an address",
    (host) => {
      expect(ipAddress(host)).toBeUndefined();
    },
  );
});
