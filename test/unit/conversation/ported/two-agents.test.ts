// Programs of two agents, as somebody writes them who knows them from AG2.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  AssistantAgent,
  containsTermination,
  ConversableAgent,
  registerFunction,
  UserProxyAgent,
} from "../../../../src/conversation/index.ts";
import { tool } from "../../../../src/index.ts";
import { scriptedModel } from "../../../../src/testing/index.ts";
import { lines, textOf } from "../../../support/conversations.ts";

describe("a chatbot with tool calls, and a proxy as executor", () => {
  const currencies = z.enum(["USD", "EUR"]);

  function exchangeDesk() {
    const chatbot = new AssistantAgent({
      name: "chatbot",
      systemMessage: "Use your tools for exchange rates. Say TERMINATE when you are done.",
      llm: scriptedModel(({ messages }) => {
        const last = messages.at(-1);
        if (last?.role === "tool") return `That is ${last.content}. TERMINATE`;
        return {
          toolCalls: [
            { name: "convert", arguments: { amount: 100, from: "USD", to: "EUR" } },
            { name: "convert", arguments: { amount: 5, from: "GBP", to: "EUR" } },
          ],
        };
      }),
    });
    const proxy = new UserProxyAgent({
      name: "user_proxy",
      humanInputMode: "NEVER",
      maxConsecutiveAutoReply: 10,
      isTerminationMsg: containsTermination,
    });
    const convert = tool({
      name: "convert",
      description: "Converts an amount of money.",
      input: z.object({ amount: z.number(), from: currencies.default("USD"), to: currencies }),
      run: ({ amount, from, to }) => `${from === to ? amount : amount * 0.9} ${to}`,
    });
    registerFunction(convert, { caller: chatbot, executor: proxy });
    return { chatbot, proxy };
  }

  it("answers each call, also one with wrong arguments, and ends at the word", async () => {
    const { chatbot, proxy } = exchangeDesk();
    const result = await proxy.initiateChat(chatbot, {
      message: "How much is 100 dollars in euros?",
      summaryMethod: "reflection_with_llm",
    });
    expect(result.chatHistory.map(({ role }) => role)).toEqual([
      "assistant",
      "assistant", // a message with calls, whoever made them
      "tool",
      "user",
    ]);
    const [, calls, results] = result.chatHistory;
    expect(calls?.toolCalls?.map(({ name }) => name)).toEqual(["convert", "convert"]);
    expect(results?.toolResponses?.map(({ toolCallId }) => toolCallId)).toEqual(
      calls?.toolCalls?.map(({ id }) => id),
    );
    expect(results?.toolResponses?.[0]?.content).toBe("90 EUR");
    expect(results?.toolResponses?.[1]?.content).toMatch(/from/);
    expect(result.reason).toBe("termination condition met");
    expect(result.cost.byAgent["chatbot"]?.requests).toBe(3); // two answers and the reflection
    expect(result.cost.total).toEqual(result.cost.byAgent["chatbot"]);
  });
});

describe("a student and a teacher", () => {
  it("talk up to the maximum of turns, and the last message is the summary", async () => {
    const student = new ConversableAgent({
      name: "Student_Agent",
      systemMessage: "You want to learn.",
      llm: scriptedModel(({ messages }) => `question ${messages.length}`),
    });
    const teacher = new ConversableAgent({
      name: "Teacher_Agent",
      systemMessage: "You teach mathematics.",
      llm: scriptedModel(({ messages }) => `explanation ${messages.length}`),
    });
    const { chatHistory, summary, lastSpeaker, reason } = await student.initiateChat(teacher, {
      message: "What is the triangle inequality?",
      maxTurns: 2,
    });
    expect(lines(chatHistory)).toEqual([
      "Student_Agent: What is the triangle inequality?",
      "Teacher_Agent: explanation 2",
      "Student_Agent: question 3",
      "Teacher_Agent: explanation 4",
    ]);
    expect(summary).toBe("explanation 4");
    expect(lastSpeaker).toBe("Teacher_Agent");
    expect(reason).toBe("maximum turns reached");
  });
});

describe("a proxy without replies of its own", () => {
  it("gets one answer and stops", async () => {
    const parser = new AssistantAgent({
      name: "Parser",
      systemMessage: "Name the two options as JSON.",
      llm: scriptedModel(() => 'Sure: {"option_a":"SQL","option_b":"NoSQL"}'),
    });
    const proxy = new UserProxyAgent({
      name: "proxy",
      humanInputMode: "NEVER",
      maxConsecutiveAutoReply: 0,
    });
    const { chatHistory } = await proxy.initiateChat(parser, {
      message: "SQL or NoSQL?",
      maxTurns: 1,
    });
    const text = textOf(chatHistory.at(-1)?.content);
    expect(JSON.parse(/\{[^{}]+\}/.exec(text)?.[0] ?? "")).toEqual({
      option_a: "SQL",
      option_b: "NoSQL",
    });
    const unlimited = await proxy.initiateChat(parser, { message: "Once more" });
    expect(unlimited.reason).toBe("maximum number of consecutive auto-replies reached");
    expect(unlimited.chatHistory).toHaveLength(2);
  });
});

describe("ends of a chat", () => {
  const chatty = (name: string, says: string): ConversableAgent =>
    new AssistantAgent({ name, systemMessage: "Talk.", llm: scriptedModel(() => says) });

  it("a predicate sees messages in their read form: `content` may be null, for calls alone", async () => {
    const seen: unknown[] = [];
    const proxy = new UserProxyAgent({
      name: "user",
      humanInputMode: "NEVER",
      isTerminationMsg: ({ content }) => {
        seen.push(content);
        return typeof content === "string" && content.trimEnd().endsWith("TERMINATE");
      },
    });
    const { summary } = await proxy.initiateChat(chatty("writer", "Here you are. TERMINATE\n"), {
      message: "Write.",
    });
    expect(seen).toEqual(["Here you are. TERMINATE\n"]);
    expect(summary).toBe("Here you are. \n");
  });

  it("a person is asked before the chat ends, by the word or by the limit, and continues or not", async () => {
    const prompts: string[] = [];
    const words = ["And in French?", ""];
    const proxy = new UserProxyAgent({
      name: "user",
      humanInputMode: "TERMINATE",
      maxConsecutiveAutoReply: 10,
      isTerminationMsg: containsTermination,
      getHumanInput: (prompt) => {
        prompts.push(prompt);
        return words.shift() ?? "exit";
      },
    });
    const { humanInput, chatHistory, reason } = await proxy.initiateChat(
      chatty("assistant", "Done. TERMINATE"),
      { message: "Translate it." },
    );
    expect(humanInput).toEqual(["And in French?", ""]);
    expect(chatHistory).toHaveLength(4);
    expect(prompts[0]).toContain("assistant said:\n\nDone. TERMINATE");
    expect(reason).toBe("termination condition met"); // an empty answer where the chat would end
  });

  it("without a way to ask, the error names the person and the options", async () => {
    const proxy = new UserProxyAgent({ name: "user" });
    await expect(
      proxy.initiateChat(chatty("assistant", "Yes?"), { message: "Hello" }),
    ).rejects.toThrow(/turn:2:user.*startChat.*getHumanInput/s);
  });
});
