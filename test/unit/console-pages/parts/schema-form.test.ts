// @vitest-environment happy-dom
import { act, createElement, useState } from "react";
import { createRoot } from "react-dom/client";
import { expect, it, vi } from "vitest";
import type { Json, JsonSchema } from "../../../../console/api-types.ts";
import type { Fault } from "../../../../console/parts/form-fields.ts";
import { SchemaForm } from "../../../../console/parts/schema-form.tsx";

vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);

const SCHEMA: JsonSchema = {
  type: "object",
  properties: { topic: { type: "string" }, count: { type: "integer", default: 2 } },
  required: ["topic"],
};

async function show(faults: readonly Fault[] = []) {
  const element = document.body.appendChild(document.createElement("div"));
  const sent: Json[] = [];
  function Page() {
    const [value, setValue] = useState<Json | undefined>({ count: 2 });
    return createElement(SchemaForm, {
      schema: SCHEMA,
      value,
      faults,
      onChange: setValue,
      onSend: (each: Json) => sent.push(each),
      children: createElement("button", { type: "submit" }, "Send"),
    });
  }
  await act(async () => createRoot(element).render(createElement(Page)));
  const press = (text: string) =>
    act(async () =>
      [...element.querySelectorAll("button")]
        .find((button) => button.textContent === text)
        ?.click(),
    );
  const type = (field: HTMLInputElement | HTMLTextAreaElement | null, text: string) =>
    act(async () => {
      if (field === null) throw new Error("there is no such field");
      const prototype = Object.getPrototypeOf(field) as object;
      Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(field, text);
      field.dispatchEvent(new Event("input", { bubbles: true }));
    });
  return { element, sent, press, type };
}

it("names missing values at their fields, and sends a complete form (CO19)", async () => {
  const { element, sent, press, type } = await show();
  await press("Send");
  expect(element.textContent).toContain("This is needed");
  expect(sent).toEqual([]);
  await type(element.querySelector("input"), "tea");
  await press("Send");
  expect(sent).toEqual([{ count: 2, topic: "tea" }]);
});

it("keeps the values when it is switched to JSON and back (CO19)", async () => {
  const { element, press, type } = await show();
  await type(element.querySelector("input"), "tea");
  await press("As JSON");
  expect(JSON.parse(element.querySelector("textarea")?.value ?? "")).toEqual({
    count: 2,
    topic: "tea",
  });
  await type(element.querySelector("textarea"), '{"topic":"coffee","count":3}');
  await press("As a form");
  expect([...element.querySelectorAll("input")].map(({ value }) => value)).toEqual(["coffee", "3"]);
});

it("shows the server's faults at their fields, and the rest above (CO19)", async () => {
  const { element } = await show([
    { path: "/topic", message: "is no topic" },
    { path: "", message: "the crew is gone" },
  ]);
  expect(element.querySelector("input")?.getAttribute("aria-invalid")).toBe("true");
  expect(element.querySelector("form > [role=alert]")?.textContent).toBe("the crew is gone");
});
