import { describe, expect, it } from "vitest";
import { FORMATS } from "../../../src/base/json-schema-formats.ts";

const TEXTS: Readonly<
  Record<string, readonly [valid: readonly string[], invalid: readonly string[]]>
> = {
  date: [
    ["2024-02-29", "0000-02-29", "1999-12-31"],
    ["2023-02-29", "2024-2-29", "2024-13-01", "2024-04-31", "2024-01-00", "12024-01-01"],
  ],
  time: [
    ["23:59:60Z", "00:29:60+00:30", "22:59:60-01:00", "12:30:45.5+01:30", "00:00:00z"],
    [
      "12:00:60Z",
      "23:59:60+01:00",
      "12:30:45",
      "24:00:00Z",
      "12:60:00Z",
      "12:00:00+24:00",
      "1:00:00Z",
    ],
  ],
  "date-time": [
    ["2024-02-29T23:59:60Z", "2020-01-01 10:00:00-00:30", "2020-01-01t10:00:00z"],
    ["2024-02-29", "2024-02-30T00:00:00Z", "2024-02-29T00:00:00", "2024-02-29TT00:00:00Z"],
  ],
  duration: [
    ["P1Y2M3DT4H5M6S", "P3W", "PT1H2M", "P1D", "PT5S", "P1YT1H"],
    ["P", "P1DT", "P1Y2D", "PT1H2S", "P1W2D", "1D", "P1S"],
  ],
  uri: [
    ["http://u:p@[::1]:80/a/b?c#d", "mailto:a@b.c", "urn:x:y", "a:/b@c@d", "http://[v1.a:b]/%41"],
    [
      "//x/y",
      "/a",
      "x",
      "http://a b",
      'http://a/"',
      "http://[::1",
      "http://[1::2::3]/",
      "http://x/%4",
    ],
  ],
  "uri-reference": [
    ["//x/y", "/a/b?c", "#x", "", "?q", "http://[::1]/"],
    ["a b", "\\x", "#a#b", "http://[:]/"],
  ],
  "uri-template": [
    ["http://x/{a,b:3}/{+c*}%41", "{?q.x,y}", ""],
    ["{", "{a", "a}", "{a:0}", "{=}", "a b"],
  ],
  url: [
    ["http://example.com:80/a", "https://u:p@foo-bar.co.uk/x", "ftp://11.2.3.4/", "http://é.fr/"],
    [
      "http://10.1.2.3",
      "http://172.16.0.1",
      "http://127.0.0.1",
      "http://localhost",
      "x://a.b",
      "http://a-.com",
    ],
  ],
  email: [
    ["a.b@c.de", '"x y"@z.org', "a@[1.2.3.4]", "a@[IPv6:::1]", `${"a".repeat(64)}@b.c`],
    [
      ".a@b.c",
      "a..b@c.d",
      "a.@b",
      "a@",
      "@b",
      "a@b@c",
      "a@[::1]",
      "a@[IPv6:1]",
      `${"a".repeat(65)}@b.c`,
    ],
  ],
  hostname: [
    ["a-b.c.d", "x", `${"a".repeat(63)}.b`],
    ["-a", "a-", "a..b", "a_b", "", `${"a".repeat(64)}.b`],
  ],
  ipv4: [
    ["1.2.3.4", "255.255.255.255"],
    ["1.2.3", "1.2.3.4.", "256.1.1.1", "1.2.3.4.5", "a.1.1.1"],
  ],
  ipv6: [
    ["::", "::1", "1::8", "1:2:3:4:5:6:7:8", "::1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7::"],
    [
      "1:2:3:4:5:6:7",
      "1:2:3:4:5:6:7:8::",
      "1::2::3",
      ":1",
      "12345::",
      "1.2.3.4",
      "::1.2.3.256",
      ":::",
    ],
  ],
  regex: [
    ["a+", "[a-z]", "\\p{L}"],
    ["(", "a\\Z", "\\-"],
  ],
  uuid: [["123e4567-e89b-12d3-a456-426614174000"], ["123e4567e89b12d3a456426614174000", "x"]],
  "json-pointer": [
    ["", "/", "/a/b~0~1"],
    ["a", "/~", "/~2"],
  ],
  "json-pointer-uri-fragment": [
    ["#", "#/a%20b"],
    ["", "#a", "#/a b"],
  ],
  "relative-json-pointer": [
    ["0", "0#", "1/a", "10/b~1"],
    ["", "01", "/a", "-1"],
  ],
};

describe("the formats of JSON Schema", () => {
  it("are all in the table of texts", () => {
    expect(Object.keys(FORMATS)).toEqual(Object.keys(TEXTS));
  });

  it.each(Object.entries(TEXTS))("%s", (name, [valid, invalid]) => {
    const isOfFormat = FORMATS[name] ?? (() => undefined);
    for (const text of valid) expect([text, isOfFormat(text)]).toEqual([text, true]);
    for (const text of invalid) expect([text, isOfFormat(text)]).toEqual([text, false]);
  });
});
