import { OBJECT_ANSWERS, PLAIN_ANSWERS, TEXT_ACTIONS, TEXT_ANSWERS } from "./answer-forms.ts";
import type { CaseWriter } from "./case-writer.ts";
import type { CaseAgent, CaseTask, Profile, Reply, ToolName } from "./crew-case.ts";
import { TOOLS } from "./make-task.ts";

/** What the model says for a task: some calls, then an answer for each try that a guardrail asks for. */
export function scriptOf(
  writer: CaseWriter,
  task: CaseTask,
  { agent, profile }: { readonly agent: CaseAgent; readonly profile: Profile },
): Reply[] {
  const tools = task.tools?.length ? task.tools : agent.tools;
  const replies = tools.length === 0 ? [] : callsOf(writer, tools, { agent, profile });
  const { refuse = 0, retries = 0 } = task.guardrail ?? {};
  for (let left = 1 + Math.min(refuse, retries); left > 0; left--) {
    const text = writer.phrase();
    replies.push({
      text: answerOf(writer, text, { task, agent, profile }),
      final: true,
      key: text,
    });
  }
  return replies;
}

function callsOf(
  writer: CaseWriter,
  tools: readonly ToolName[],
  { agent, profile }: { readonly agent: CaseAgent; readonly profile: Profile },
): Reply[] {
  const { random } = writer;
  const isKnown = (name: string): boolean => TOOLS.some((each) => each === name);
  const has = (name: string): boolean => tools.some((each) => each === name);
  const replies: Reply[] = [];
  for (let left = random.below(profile === "limits" ? 7 : 4); left > 0; left--) {
    if (agent.text) {
      const { name, args } = writer.call();
      if (has(name))
        replies.push({
          text: random.pick(TEXT_ACTIONS)(name, JSON.stringify(args)),
          action: true,
        });
      continue;
    }
    const calls = Array.from({ length: random.chance(0.2) ? 2 : 1 }, () =>
      profile === "tools" && random.chance(0.3) ? writer.oddCall() : writer.call(),
    ).filter(({ name }) => has(name) || (profile === "tools" && !isKnown(name)));
    const [first] = calls;
    if (first !== undefined && profile === "tools" && random.chance(0.2)) calls.push(first);
    const say = profile === "tools" && random.chance(0.15) ? { say: "Let me look." } : {};
    if (first !== undefined) replies.push({ tools: calls, ...say });
    const last = replies.at(-1);
    if (profile === "limits" && last !== undefined && random.chance(0.3)) replies.push(last);
  }
  return replies;
}

function answerOf(
  { random }: CaseWriter,
  text: string,
  {
    task,
    agent,
    profile,
  }: { readonly task: CaseTask; readonly agent: CaseAgent; readonly profile: Profile },
): string {
  if (task.json) {
    const value = { title: text, count: random.below(100) };
    return profile === "answers" ? random.pick(OBJECT_ANSWERS)(value) : JSON.stringify(value);
  }
  if (agent.text) return random.pick(TEXT_ANSWERS)(text);
  return profile === "answers" ? random.pick(PLAIN_ANSWERS)(text) : text;
}

/** The judge's answers for a guardrail in words. */
export function judgeScript(refuse: number): Reply[] {
  const refused = { text: JSON.stringify({ valid: false, feedback: "write it again" }) };
  return [
    ...Array.from({ length: refuse }, () => refused),
    { text: JSON.stringify({ valid: true, feedback: null }) },
  ];
}
