import * as fc from "fast-check";
import ipaddr from "ipaddr.js";
import { expect, it } from "vitest";
import { ipAddressOf, unmapped } from "../../../src/security/ip-address.ts";
import { isLoopbackHost } from "../../../src/security/loopback.ts";
import { checkOutboundUrl } from "../../../src/security/outbound.ts";

const STARTS = [
  [0],
  [10],
  [100, 64],
  [127],
  [169, 254],
  [172],
  [172, 16],
  [192, 0, 0],
  [192, 0, 2],
  [192, 31, 196],
  [192, 88, 99],
  [192, 168],
  [198, 18],
  [203, 0, 113],
  [224],
  [240],
];

const byte = fc.oneof(fc.constantFrom(0, 1, 255), fc.nat(255));
const four = fc
  .tuple(fc.constantFrom([] as number[], ...STARTS), fc.tuple(byte, byte, byte, byte))
  .map(([start, rest]) => [...start, ...rest].slice(0, 4).join("."));

const GROUPS = [0, 1, 2, 0x10, 0x64, 0xdb8, 0x2001, 0x2002, 0x2620, 0x3fff, 0x4f, 0x5efe, 0x5f00];
const group = fc.oneof(
  fc.constantFrom(...GROUPS, 0x8000, 0xfc00, 0xfe80, 0xfec0, 0xff00, 0xff9b, 0xffff),
  fc.nat(0xffff),
);
const six = fc
  .oneof(
    fc.array(group, { minLength: 8, maxLength: 8 }),
    fc.tuple(group, group, group, group).map((parts) => [...parts, 0, 0, 0, 1]),
    fc.tuple(fc.constantFrom(0, 0xffff), group, group).map((parts) => [0, 0, 0, 0, 0, ...parts]),
  )
  .map((parts) => parts.map((part) => part.toString(16)).join(":"));

const hostOf = (address: string): string =>
  new URL(`http://${address.includes(":") ? `[${address}]` : address}`).hostname;

it("OU1, OU3: addresses are private or not as ipaddr.js says", () => {
  const isRefused = (host: string): boolean => {
    try {
      checkOutboundUrl(`http://${host}/`, "url");
      return false;
    } catch {
      return true;
    }
  };
  fc.assert(
    fc.property(fc.oneof(four, six), (address) => {
      const host = hostOf(address);
      const theirs = ipaddr.process(address);
      const parts = "parts" in theirs ? theirs.parts : [];
      const isCompatible = parts.length > 0 && parts.slice(0, 6).every((part) => part === 0);
      const isIsatap = parts[5] === 0x5efe && ((parts[4] ?? 0) & 0xfdff) === 0;
      const isPublic = theirs.range() === "unicast" && !isCompatible && !isIsatap;
      expect([host, isRefused(host)]).toEqual([host, !isPublic]);
      expect(isLoopbackHost(host)).toBe(ipaddr.parse(address).range() === "loopback");
    }),
    { numRuns: 5000 },
  );
});

it("hosts are read as ipaddr.js reads them", () => {
  fc.assert(
    fc.property(fc.oneof(four, six), (address) => {
      const host = hostOf(address).replace(/^\[|\]$/g, "");
      const read = unmapped(ipAddressOf(host) ?? []);
      const bytes = read.flatMap((part) => [part >> 8, part & 255]);
      expect(bytes).toEqual(ipaddr.process(address).toByteArray());
    }),
    { numRuns: 2000 },
  );
});

it.each([
  ..."1.2.3 1.2.3.4.5 1.2.3.256 1.2.3.x a.b.c.d example.com 01 1.2.3.-4".split(" "),
  ..."1:2:3 1:2:3:4:5:6:7:8:9 1::2::3 ::: 1:::2 g::1 12345::1 1:2:3:4::5:6:7:8 :1:2:3:4:5:6:7".split(
    " ",
  ),
  "",
])("%j is no address", (text) => {
  expect(ipAddressOf(text)).toBeUndefined();
});
