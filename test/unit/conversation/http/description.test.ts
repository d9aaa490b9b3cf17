// The description of conversations in the API document, against real answers.
import { expect, it } from "vitest";
import { validateJsonSchema } from "../../../../src/base/json-schema.ts";
import { openApiDocument } from "../../../../src/http/openapi/openapi.ts";
import { ConversationWorld, INCIDENT, REVIEW } from "../../../support/conversation-world.ts";

const world = new ConversationWorld();
const { components } = openApiDocument(world.api);

function faults(component: string, value: unknown): unknown {
  expect(components.schemas).toHaveProperty(component);
  return validateJsonSchema({ $ref: `#/components/schemas/${component}`, components }, value);
}

it("fits stored, listed, run, message and picture responses", async () => {
  await world.store("incident", INCIDENT);
  await world.store("review", REVIEW);
  const id = await world.converse("incident");
  const { json: run } = await world.ask(`/runs/${id}`);
  expect(run["status"]).toBe("completed");
  expect(faults("ConversationRunInput", run["inputs"])).toEqual([]);
  expect(faults("ConversationRunOutput", run["output"])).toEqual([]);
  expect(faults("Run", run)).toEqual([]);
  const { summary: _, ...rest } = run["output"] as unknown as Record<string, unknown>;
  expect(faults("ConversationRunOutput", rest)).not.toEqual([]);
  expect(faults("ConversationDetails", (await world.ask("/conversations/incident")).json)).toEqual(
    [],
  );
  for (const each of (await world.ask("/conversations")).json["items"] as unknown as object[])
    expect(faults("Conversation", each)).toEqual([]);
  for (const each of (await world.ask(`/runs/${id}/messages`)).json["items"] as unknown as object[])
    expect(faults("ConversationMessage", each)).toEqual([]);
  const picture = await world.ask("/conversations/review/picture?format=json");
  expect(faults("ConversationPicture", picture.json)).toEqual([]);
});
