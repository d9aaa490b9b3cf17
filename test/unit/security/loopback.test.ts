import { describe, expect, it } from "vitest";
import {
  isLoopbackHost,
  isLoopbackOrigin,
  isLoopbackRequest,
} from "../../../src/security/loopback.ts";

const hostOf = (url: string): string => new URL(url).hostname;

describe("hosts of this machine", () => {
  it.each([
    "http://localhost",
    "http://LOCALHOST.:8787",
    "http://app.localhost:5173",
    "http://a.b.localhost",
    "http://127.0.0.1",
    "http://127.1",
    "http://127.255.255.254",
    "http://2130706433",
    "http://0x7f.1",
    "http://[::1]:8787",
    "http://[0:0:0:0:0:0:0:1]",
  ])("%s is one", (url) => {
    expect(isLoopbackHost(hostOf(url))).toBe(true);
  });

  it.each([
    "http://evil.example",
    "http://localhost.evil.example",
    "http://127.0.0.1.evil.example",
    "http://evillocalhost",
    "http://127.0.0.1.nip.io",
    "http://0.0.0.0",
    "http://10.0.0.1",
    "http://128.0.0.1",
    "http://[::]",
    "http://[::2]",
    "http://[fe80::1]",
    "http://lоcalhost", // a Cyrillic o
    "http://localhost。evil.example", // an ideographic full stop
  ])("%s is a foreign host", (url) => {
    expect(isLoopbackHost(hostOf(url))).toBe(false);
  });

  it.each([
    ["localhost:8787", true],
    ["[::1]:8787", true],
    ["127.0.0.1", true],
    ["evil.example", false],
    ["evil.example@localhost", false],
    ["localhost/../evil.example", false],
    ["localhost#evil.example", false],
    ["localhost\\evil.example", false],
    ["", false],
    ["%", false],
    ["localhost, evil.example", false],
    ["localhost:8787:1", false],
  ])("a request with the Host header %j counts as one: %s", (host, expected) => {
    const headers = new Headers({ host });
    expect(isLoopbackRequest({ url: "http://localhost/", headers })).toBe(expected);
  });

  it("takes the address and the header together", () => {
    const headers = new Headers({ host: "localhost" });
    expect(isLoopbackRequest({ url: "http://evil.example/", headers })).toBe(false);
    expect(isLoopbackRequest({ url: "http://127.0.0.1:1/", headers: new Headers() })).toBe(true);
  });

  it.each([
    ["http://localhost:5173", true],
    ["https://app.localhost", true],
    ["http://127.0.0.2:80", false], // not as a browser writes it
    ["http://localhost/", false],
    ["http://localhost@evil.example", false],
    ["ftp://localhost", false],
    ["null", false],
    ["", false],
  ])("an origin %j counts as one: %s", (origin, expected) => {
    expect(isLoopbackOrigin(origin)).toBe(expected);
  });
});
