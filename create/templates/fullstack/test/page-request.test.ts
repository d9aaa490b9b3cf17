import { expect, it } from "vitest";
import { pageRequest } from "../src/page-request.ts";

const env = { EDGECREW_AUTH: "keys", EDGECREW_ADMIN_KEY: "the-key", PAGE_PASSWORD: "sésame" };

function asked(path: string, password: string): Promise<Request | Response> {
  const authorization = `Basic ${Buffer.from(`me:${password}`).toString("base64")}`;
  return pageRequest(new Request(`https://desk.test${path}`, { headers: { authorization } }), env);
}

it("adds the key for who knows the password", async () => {
  const request = (await asked("/app/runs/r-1/events", "sésame")) as Request;
  expect(request.url).toBe("https://desk.test/runs/r-1/events");
  expect(request.headers.get("authorization")).toBe("Bearer the-key");
});

it.each([
  ["/app/runs/r-1", "guess", 401],
  ["/app/runs/r-1", "", 401],
  ["/app/keys", "sésame", 404],
  ["/app/runs/../keys", "sésame", 404],
])("refuses %s with the password %j", async (path, password, status) => {
  expect(((await asked(path, password)) as Response).status).toBe(status);
});
