import { describe, expect, it } from "vitest";
import { readDelivery } from "../../../src/triggers/delivery.ts";
import { computedMs } from "../../support/computed-ms.ts";

const bytes = (text: string) => new Uint8Array(new TextEncoder().encode(text));
const read = (text: string, type = "application/x-www-form-urlencoded") =>
  readDelivery("hmac", {
    headers: new Headers({ "content-type": type }),
    body: bytes(text),
    signed: { signatures: [], prefix: "" },
  });

describe("the body of a delivery", () => {
  it("as a form has each field once, a repeated one as a list", async () => {
    const { payload } = await read("a=1&b=2&a=3&__proto__=4&constructor=5&=6");
    expect(payload).toEqual({
      a: ["1", "3"],
      b: "2",
      ["__proto__"]: "4",
      constructor: "5",
      "": "6",
    });
    expect(Object.getPrototypeOf(payload)).toBe(Object.prototype);
  });

  it("as a form of many fields is refused before it is read", async () => {
    const many = Array.from({ length: 90_000 }, (_, index) => `name${index}=1`).join("&");
    const beganMs = computedMs();
    await expect(read(many)).rejects.toMatchObject({
      code: "invalid_input",
      message: "a form must have at most 1000 fields, got 90000",
    });
    expect(computedMs() - beganMs).toBeLessThan(10_000);
    await expect(read("&".repeat(900_000))).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("as JSON must not be deep", async () => {
    const deep = `${"[".repeat(90_000)}${"]".repeat(90_000)}`;
    await expect(read(deep, "application/json")).rejects.toMatchObject({ code: "invalid_input" });
  });
});
