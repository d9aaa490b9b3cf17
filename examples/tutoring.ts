// A tutor who remembers what a student taught it about themselves: each session is a conversation of its own, days apart.
import {
  ConversableAgent,
  DefaultPattern,
  Teachability,
  UserProxyAgent,
  agentTarget,
  defineConversation,
  revertToUserTarget,
} from "../src/conversation/index.ts";
import { llm } from "../src/index.ts";

const tutor = new ConversableAgent({
  name: "tutor",
  description: "Explains, and asks one question at a time",
  systemMessage:
    "You are a patient tutor. Explain in two sentences, give one example, and ask one question. Use what you know about the student.",
  llm: llm(),
  humanInputMode: "NEVER",
});
new Teachability().addToAgent(tutor);

const student = new UserProxyAgent({ name: "student", description: "The student, a person" });
tutor.setAfterWork(revertToUserTarget());
student.setAfterWork(agentTarget(tutor));

export const tutoring = defineConversation({
  name: "tutoring",
  description:
    "A lesson with a tutor who remembers earlier lessons; the student says exit to end it.",
  maxRounds: 40,
  pattern: new DefaultPattern({ initialAgent: tutor, agents: [tutor], userAgent: student }),
});
