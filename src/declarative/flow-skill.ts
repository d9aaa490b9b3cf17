// Guide for coding assistants that write flows. Its reference is generated from the tables for checking declarations.
import * as z from "zod";
import { crewDefinition } from "../crew/definition/definition-schema.ts";
import type { FlowRegistry } from "../flow/flow-reader.ts";
import { METHOD_ROOTS, STEP_ROOTS } from "./action.ts";
import { conditionSchema } from "./condition-schema.ts";
import {
  atomicActions,
  configSchema,
  declarationSchema,
  eachAction,
  eachStep,
  feedbackSchema,
  methodSchema,
  stateSchema,
} from "./declaration-schema.ts";

/** Flow with most of the features. It is checked like any other. */
export const EXAMPLE = `schema: crewai.flow/v1
name: SupportDesk
description: Answers mail, and has a person look at what is urgent
state:
  type: json_schema
  json_schema:
    type: object
    properties:
      mail: { type: string }
      questions: { type: array, items: { type: string } }
    required: [mail]
  default:
    questions: []
methods:
  sort:
    start: true
    router: true
    emit: [urgent, routine]
    do:
      call: expression
      expr: "state.mail.contains('outage') ? 'urgent' : 'routine'"
  answers:
    listen: routine
    do:
      call: each
      in: state.questions
      do:
        - name: asked
          if: item != ''
          action:
            call: agent
            with:
              role: Clerk
              goal: Answer in one paragraph
              backstory: You know the house rules.
              input: "Mail: \${state.mail}. Question: \${item}"
        - name: text
          if: has(outputs.asked)
          action:
            call: expression
            expr: outputs.asked.raw
  reply:
    listen: urgent
    do:
      call: crew
      with:
        agents:
          writer:
            role: Writer
            goal: Write a calm reply
            backstory: You write short sentences.
        tasks:
          - name: draft
            description: "Reply to this mail: {mail}"
            expected_output: A reply
            agent: writer
      inputs:
        mail: "\${state.mail}"
    human_feedback:
      message: Send this reply?
      emit: [send, discard]
      default_outcome: discard
  sent:
    listen: send
    do:
      call: expression
      expr: outputs.reply.output.raw
  done:
    listen: { or: [answers, sent, discard] }
    do:
      call: expression
      expr: "has(outputs.sent) ? outputs.sent : 'nothing sent'"
`;

/**
 * Returns Markdown for a coding assistant about writing a flow as data. With a registry it lists the available names.
 */
export function flowSkill({ registry = {} }: { readonly registry?: FlowRegistry } = {}): string {
  return `---
name: flow-definition
description: Write or change a flow as data (crewai.flow/v1, YAML or JSON), with its methods, state, expressions, agents, crews, tools and people.
---

# Writing a flow as data

Give one YAML or JSON document. It must be complete: there is no code beside it but what is registered.

## Rules

1. A flow is methods that wake each other over a state. Mark at least one as \`start: true\`; give every other a \`listen\`.
2. Names of methods and labels of routers share one namespace. No method listens to its own name; a label is not called like the method that hears it.
3. A router's result is a label. List its labels in \`emit\`; then a name that nobody gives is found before anything runs.
4. Choose the simplest action: \`expression\` to compute, \`tool\` or \`code\` for what is registered, \`agent\` for one question, \`crew\` for several tasks, \`each\` for a list.
5. Expressions are CEL. They can name ${list(METHOD_ROOTS)}, in the steps of an \`each\` ${list(STEP_ROOTS)}, and nothing else. \`outputs.<method>\` is what a method gave last; ask with \`has(outputs.<method>)\` where it may not have run.
6. \`expr\`, \`if\` and \`in\` are bare CEL. In \`with\`, \`inputs\` and an agent's \`input\` write \`\${...}\`: a text that is one expression keeps its type, other text is put together.
7. A crew or an agent gives an object: its text is \`outputs.<method>.raw\`, its structured answer \`.object\`. After \`human_feedback\` read \`.output\`, \`.feedback\` and \`.outcome\`.
8. Texts of crews take \`{placeholders}\` from \`inputs\`; expressions do not work there.
9. Only \`code\` changes the state. Everything else is handed on through \`outputs\`.
10. There are no scripts.

## Example

\`\`\`yaml
${EXAMPLE}\`\`\`

## Fields

${reference()}
${registered(registry)}`;
}

function reference(): string {
  const states = stateSchema.options.map((state) =>
    section(`state, type ${typeOf(state.shape.type)}`, state, ["type"]),
  );
  const actions = [...atomicActions, eachAction]
    .filter((action) => action.shape.call.value !== "script")
    .map((action) => section(`do, call ${typeOf(action.shape.call)}`, action, ["call"]));
  const { agents, tasks } = crewDefinition.shape;
  return [
    section("The flow", declarationSchema, ["ignored"]),
    ...states,
    section("config", configSchema),
    section("A method", methodSchema),
    section("human_feedback", feedbackSchema),
    ...actions,
    section("A step of an each", eachStep),
    `### A condition\n\nA name; \`{ or: [...] }\`: any of these, once; \`{ and: [...] }\`: all of these. They nest. \`race: true\` beside \`or\`: the first to end wins.\n`,
    `### A crew\n\n${names(crewDefinition, ["ignored"])}. Its agents: ${names(agents.valueType)}. Its tasks: ${names(tasks.element)}.\n`,
  ].join("\n");
}

function section(title: string, schema: z.ZodObject, left: readonly string[] = []): string {
  const rows = Object.entries(schema.shape)
    .filter(([name]) => !left.includes(name))
    .map(([name, field]) => {
      const need = field instanceof z.ZodOptional ? "" : " (needed)";
      return `| \`${snakeCase(name)}\` | ${typeOf(field)}${need} | ${meaningOf(field)} |`;
    });
  if (rows.length === 0) return `### ${title}\n`;
  return `### ${title}\n\n| | | |\n| --- | --- | --- |\n${rows.join("\n")}\n`;
}

function names(schema: z.ZodObject, left: readonly string[] = []): string {
  return list(
    Object.keys(schema.shape)
      .filter((name) => !left.includes(name))
      .map(snakeCase),
  );
}

function meaningOf(field: z.core.$ZodType): string {
  const { description } = field as z.ZodType;
  if (description !== undefined) return description;
  return field instanceof z.ZodOptional ? meaningOf(field.unwrap()) : "";
}

function typeOf(field: z.core.$ZodType): string {
  if (field instanceof z.ZodOptional) return typeOf(field.unwrap());
  if (field === conditionSchema) return "condition";
  if (field instanceof z.ZodLiteral) return `\`${String(field.value)}\``;
  if (field instanceof z.ZodUnion && !(field instanceof z.ZodDiscriminatedUnion))
    return [...new Set(field.options.map(typeOf))].join(" or ");
  if (field instanceof z.ZodArray) return `list of ${typeOf(field.element)}`;
  if (field instanceof z.ZodString) return "text";
  if (field instanceof z.ZodBoolean) return "boolean";
  return field instanceof z.ZodNumber ? "number" : "mapping";
}

function registered({
  tools = [],
  functions = {},
  schemas = {},
  crews = {},
}: FlowRegistry): string {
  const kinds: ReadonlyArray<readonly [string, readonly string[]]> = [
    ["Tools", tools.map(({ safeName, description }) => `\`${safeName}\`: ${description}`)],
    ["Functions", Object.keys(functions).map(code)],
    ["Crews", Object.keys(crews).map(code)],
    ["Schemas", Object.keys(schemas).map(code)],
  ];
  const sections = kinds
    .filter(([, entries]) => entries.length > 0)
    .map(
      ([kind, entries]) => `### ${kind}\n\n${entries.map((entry) => `- ${entry}`).join("\n")}\n`,
    );
  return sections.length === 0 ? "" : `## What is registered\n\n${sections.join("\n")}`;
}

function list(words: readonly string[]): string {
  return words.map(code).join(", ");
}

function code(word: string): string {
  return `\`${word}\``;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
