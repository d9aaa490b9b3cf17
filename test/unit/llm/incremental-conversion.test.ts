import { describe, expect, it } from "vitest";
import { textOfContent } from "../../../src/llm/content.ts";
import { IncrementalConversion } from "../../../src/llm/incremental-conversion.ts";
import type { Message } from "../../../src/llm/language-model.ts";

function counting(): {
  readonly converted: string[];
  readonly convert: (messages: Message[]) => string;
} {
  const converted: string[] = [];
  const conversion = new IncrementalConversion<string[]>(
    () => [],
    (wire, message) => {
      const content = textOfContent(message.content);
      converted.push(content);
      wire.push(content.toUpperCase());
    },
  );
  return { converted, convert: (messages) => conversion.convert(messages).join("") };
}

const said = (content: string): Message => ({ role: "user", content });

describe("incremental conversion", () => {
  it("converts each message of a growing array once", () => {
    const { converted, convert } = counting();
    const messages = [said("a")];
    expect(convert(messages)).toBe("A");
    messages.push(said("b"), said("c"));
    expect(convert(messages)).toBe("ABC");
    expect(convert(messages)).toBe("ABC");
    expect(converted).toEqual(["a", "b", "c"]);
  });

  it("starts again when the array shrank or any message was replaced", () => {
    const { convert } = counting();
    const messages = [said("a"), said("b"), said("c")];
    convert(messages);
    messages.length = 1;
    expect(convert(messages)).toBe("A");
    messages.push(said("x"));
    expect(convert(messages)).toBe("AX");
    messages[1] = said("y");
    expect(convert(messages)).toBe("AY");
    messages[0] = said("z");
    expect(convert(messages)).toBe("ZY");
  });

  it("keeps arrays apart", () => {
    const { convert } = counting();
    const one = [said("a")];
    expect(convert(one)).toBe("A");
    expect(convert([...one, said("b")])).toBe("AB");
    expect(convert(one)).toBe("A");
  });
});
