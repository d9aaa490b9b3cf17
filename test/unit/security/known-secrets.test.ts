import { describe, expect, it } from "vitest";
import { providerError, unreadableAnswer } from "../../../src/llm/provider-failure.ts";
import { noteSecret, withoutSecrets } from "../../../src/security/known-secrets.ts";

describe("texts of others", () => {
  it("NS1: lose noted secrets, in each form and truncated", () => {
    const secret = noteSecret('sk-"proj"/abc+def=0123456789');
    for (const text of [
      `wrong key ${secret}.`,
      `{"key":${JSON.stringify(secret)}}`,
      `https://x/?key=${encodeURIComponent(secret)}&b`,
      `${secret}${secret}`,
      `got ${secret.slice(0, 18)}`,
    ]) {
      expect(withoutSecrets(text)).toContain("[secret]");
      expect(withoutSecrets(text)).not.toContain(secret.slice(0, 16));
    }
    expect(withoutSecrets(`wrong key ${secret}.`)).toBe("wrong key [secret].");
  });

  it.each(["", "B", "Be", "Bearer ", "user:"])(
    "NS1: lose the base64 of a text with %j before it",
    (before) => {
      const secret = noteSecret("sk-live-0123456789-abcdefghij~ü");
      const bytes = new TextEncoder().encode(`${before}${secret} and more`);
      for (const alphabet of ["base64", "base64url"] as const) {
        const shown = withoutSecrets(`it came as ${Buffer.from(bytes).toString(alphabet)}.`);
        expect(shown).toContain("[secret]");
        expect(Buffer.from(shown.split(" ").at(-1) ?? "", "base64").toString()).not.toContain(
          "0123456789",
        );
      }
    },
  );

  it("NS2: keep other texts", () => {
    noteSecret("none");
    noteSecret("  ");
    noteSecret("sk-proj-aaaaaaaaaaaaaaaaaaaa");
    expect(withoutSecrets("none of sk-proj-bbbbbbbb is a secret")).toBe(
      "none of sk-proj-bbbbbbbb is a secret",
    );
  });

  it("forgets the oldest, and never grows without end", () => {
    noteSecret("the-very-first-one");
    for (let index = 0; index < 2_000; index++) noteSecret(`another-secret-${index}`);
    expect(withoutSecrets("the-very-first-one")).toBe("the-very-first-one");
    expect(withoutSecrets("another-secret-1999")).toBe("[secret]");
  });

  it("errors of providers are stored without them", () => {
    const key = noteSecret("sk-canary-0000-1111-2222");
    const message = `Incorrect API key provided: ${key}`;
    for (const status of [400, 401, 403, 429, 500, undefined])
      expect(
        providerError({ modelId: "m", status, message, cause: undefined }, 0).message,
      ).not.toContain("canary");
    expect(unreadableAnswer("m", `sent ${message}`).message).not.toContain("canary");
  });
});
