// A response as a stream of events.
//
//   OV1. The numbers of events increase, and follow from the text: the delta after which a text has n characters has
//        the same number each time, so a stream can resume in the middle of a text.
import type { JsonObject } from "../../../base/json.ts";
import type { Addition } from "../answer.ts";
import type { Outcome } from "../outcome.ts";
import {
  itemStatusOf,
  messageItem,
  outputOf,
  reasoningItem,
  responseOf,
  statusOf,
  textPart,
  type OutputItem,
  type ResponseHead,
} from "./response.ts";

type Send = (data: object, type: string) => void;

/** Writes the events of one response, in their order. */
export class ResponseEvents {
  readonly #head: ResponseHead;
  readonly #own: string;
  readonly #send: Send;
  readonly #after: number;
  #number = -1;
  #text = "";
  #thinking = "";
  #reasons = false;
  #speaks = false;

  /** Skips events up to the number `after`. */
  constructor(head: ResponseHead, send: Send, after = -1) {
    this.#head = head;
    this.#own = head.id.slice("resp_".length);
    this.#send = send;
    this.#after = after;
  }

  begin(): void {
    const response = responseOf(this.#head, { status: "in_progress" });
    this.#emit("response.created", { response });
    this.#emit("response.in_progress", { response });
  }

  add({ thinking, text }: Addition): void {
    if (thinking !== "" && !this.#speaks) this.#think(thinking);
    if (text !== "") this.#speak(text);
  }

  end(outcome: Outcome): void {
    const rest = outcome.said.slice(this.#text.length);
    if (rest !== "") this.#speak(rest);
    this.#endThought();
    this.#endText(itemStatusOf(outcome));
    const items = outputOf(this.#head.id, outcome, this.#thinking);
    for (const [index, item] of items.entries())
      if (item.type === "function_call" || item.type === "custom_tool_call")
        this.#call(item, index);
    const response = responseOf(this.#head, { outcome, thinking: this.#thinking });
    const status = statusOf(outcome);
    // A cancelled response has no event of its own: it uses `failed`, with the real status in it.
    this.#emit(`response.${status === "cancelled" ? "failed" : status}`, { response });
  }

  get #index(): number {
    return this.#reasons ? 1 : 0;
  }

  #think(delta: string): void {
    const place = { item_id: `rs_${this.#own}`, output_index: 0, summary_index: 0 };
    if (!this.#reasons) {
      this.#reasons = true;
      const item = { ...reasoningItem(this.#own, ""), summary: [] };
      this.#emit("response.output_item.added", { output_index: 0, item });
      const part = { type: "summary_text", text: "" };
      this.#emit("response.reasoning_summary_part.added", { ...place, part });
    }
    this.#thinking += delta;
    this.#emitDelta("response.reasoning_summary_text.delta", { ...place, delta });
  }

  #endThought(): void {
    if (!this.#reasons || this.#speaks) return;
    const place = { item_id: `rs_${this.#own}`, output_index: 0, summary_index: 0 };
    const text = this.#thinking;
    this.#emit("response.reasoning_summary_text.done", { ...place, text });
    const part = { type: "summary_text", text };
    this.#emit("response.reasoning_summary_part.done", { ...place, part });
    const item = reasoningItem(this.#own, text);
    this.#emit("response.output_item.done", { output_index: 0, item });
  }

  #speak(delta: string): void {
    const place = { item_id: `msg_${this.#own}`, output_index: this.#index, content_index: 0 };
    if (!this.#speaks) {
      this.#endThought();
      this.#speaks = true;
      const item = { ...messageItem(this.#own, "", "in_progress"), content: [] };
      this.#emit("response.output_item.added", { output_index: this.#index, item });
      this.#emit("response.content_part.added", { ...place, part: textPart("") });
    }
    this.#text += delta;
    this.#emitDelta("response.output_text.delta", { ...place, delta, logprobs: [] });
  }

  #endText(status: "completed" | "incomplete"): void {
    if (!this.#speaks) return;
    const text = this.#text;
    const place = { item_id: `msg_${this.#own}`, output_index: this.#index, content_index: 0 };
    this.#emit("response.output_text.done", { ...place, text, logprobs: [] });
    this.#emit("response.content_part.done", { ...place, part: textPart(text) });
    const item = messageItem(this.#own, text, status);
    this.#emit("response.output_item.done", { output_index: this.#index, item });
  }

  #call(item: OutputItem, index: number): void {
    const isCustom = item.type === "custom_tool_call";
    const field = isCustom ? "input" : "arguments";
    const type = isCustom ? "response.custom_tool_call_input" : "response.function_call_arguments";
    const text = typeof item[field] === "string" ? item[field] : "";
    const place = { item_id: item.id, output_index: index };
    const begun = { ...item, status: "in_progress", [field]: "" };
    this.#emit("response.output_item.added", { output_index: index, item: begun });
    this.#emitDelta(`${type}.delta`, { ...place, delta: text });
    const named = isCustom ? undefined : { name: item["name"] ?? "" };
    this.#emit(`${type}.done`, { ...place, ...named, [field]: text });
    this.#emit("response.output_item.done", { output_index: index, item });
  }

  #emit(type: string, fields: JsonObject): void {
    this.#number += 1;
    if (this.#number <= this.#after) return;
    this.#send({ type, sequence_number: this.#number, ...fields }, type);
  }

  /** A delta uses as many numbers as characters. If the client has its beginning, only the rest is sent. */
  #emitDelta(type: string, fields: JsonObject & { readonly delta: string }): void {
    const { delta } = fields;
    const known = Math.max(0, this.#after - this.#number);
    this.#number += delta.length;
    if (this.#number <= this.#after) return;
    const rest = { ...fields, delta: delta.slice(known) };
    this.#send({ type, sequence_number: this.#number, ...rest }, type);
  }
}
