// Files of each kind of addition, and its registration in the Worker.
import { variableName } from "../import/typescript-text.ts";
import type { Registration } from "./worker-source.ts";

export type NewFile = { readonly path: string; readonly text: string };

export type Addition = {
  readonly files: readonly NewFile[];
  /** Absent if `edgecrew build` finds the files by itself. */
  readonly registration?: Registration;
  /** Next steps for the person. */
  readonly next: readonly string[];
};

/** Crew that a schedule or a webhook starts, with its required inputs. */
export type AddedTarget = { readonly crew: string; readonly inputs: readonly string[] };

export function crewFiles(name: string): Addition {
  return {
    files: [
      {
        path: `crews/${name}/agents.yaml`,
        text: `assistant:
  role: Assistant
  goal: Answer what is asked about {topic}
  backstory: >
    You answer in plain words, and say what you do not know.
`,
      },
      {
        path: `crews/${name}/tasks.yaml`,
        text: `answer:
  description: Say what matters about {topic}.
  expected_output: A short paragraph
  agent: assistant
`,
      },
    ],
    next: [`edgecrew run ${name} --input topic="…"`],
  };
}

export function flowFiles(name: string): Addition {
  return {
    files: [
      {
        path: `flows/${name}.yaml`,
        text: `schema: crewai.flow/v1
name: ${JSON.stringify(name)}
state:
  type: json_schema
  json_schema:
    type: object
    properties:
      topic: { type: string, default: tea }
methods:
  begin:
    start: true
    do:
      call: expression
      expr: "'About ' + state.topic"
  finish:
    listen: begin
    do:
      call: expression
      expr: "outputs.begin + ', in short.'"
`,
      },
    ],
    next: [`edgecrew run ${name} --input topic="…"`],
  };
}

export function agentFiles(name: string): Addition {
  const variable = variableOf(name);
  return {
    files: [
      {
        path: `src/agents/${name}.ts`,
        text: `import { Agent } from "edgecrew";

export const ${variable} = new Agent({
  role: "Assistant",
  goal: "Answer what is asked",
  backstory: "You answer in plain words, and say what you do not know.",
});
`,
      },
    ],
    registration: {
      imports: [importOf(variable, `./agents/${name}.ts`)],
      at: ["agents"],
      entry: entryOf(name, variable),
    },
    next: [`edgecrew run ${name} --message "…"`],
  };
}

export function toolFiles(name: string): Addition {
  const variable = variableOf(name);
  const toolName = name.replaceAll("-", "_");
  return {
    files: [
      {
        path: `src/tools/${name}.ts`,
        text: `import { tool } from "edgecrew";
import * as z from "zod";

export const ${variable} = tool({
  name: ${JSON.stringify(toolName)},
  description: "Say here when a model should call it, and what it answers.",
  input: z.object({ text: z.string() }),
  run: ({ text }) => \`Not written yet; it was asked for \${text}\`,
});
`,
      },
    ],
    registration: {
      imports: [importOf(variable, `./tools/${name}.ts`)],
      at: ["tools"],
      entry: variable,
    },
    next: [`name it in a task or an agent: tools: [${toolName}]`],
  };
}

/** A tool of the catalogue, from the exports of its vendor's module. */
export function catalogueToolFiles({
  file,
  factory,
  vendor,
  className,
}: {
  readonly file: string;
  readonly factory: string;
  readonly vendor: string;
  readonly className: string;
}): Addition {
  const variable = `${factory}Tool`;
  return {
    files: [
      {
        path: `src/tools/${file}.ts`,
        text: `import { ${factory} } from "edgecrew/tools/${vendor}";

export const ${variable} = ${factory}();
`,
      },
    ],
    registration: {
      imports: [importOf(variable, `./tools/${file}.ts`)],
      at: ["tools"],
      entry: variable,
    },
    next: [
      `name it in a task or an agent: tools: [${className}]`,
      `edgecrew docs tool-catalogue says which key it needs; edgecrew check shows if the key is set`,
    ],
  };
}

export function skillFiles(name: string): Addition {
  return {
    files: [
      {
        path: `skills/${name}/SKILL.md`,
        text: `---
name: ${name}
description: Say here when an agent should read this.
---

# ${name}

What to know, step by step.
`,
      },
    ],
    next: skillNext(name),
  };
}

export function skillNext(name: string): readonly string[] {
  return [`name it in crews/<crew>/crew.yaml: skills: [${name}]`];
}

export function knowledgeFiles(name: string): Addition {
  return {
    files: [
      {
        path: `knowledge/${name}.md`,
        text: `# ${name}

What agents are to look up.
`,
      },
    ],
    registration: {
      imports: [`import { knowledge } from "edgecrew/knowledge";`],
      at: ["knowledge"],
      entry: "",
      call: "knowledge(",
    },
    next: [
      `edgecrew knowledge add ${name} knowledge/${name}.md`,
      `name it in an agent: knowledge: ${name}`,
    ],
  };
}

export function scheduleFiles(
  name: string,
  { crew, inputs, cron }: AddedTarget & { readonly cron: string },
): Addition {
  const variable = variableOf(name);
  const values = inputs.map((each) => `${JSON.stringify(each)}: ${JSON.stringify(each)}`);
  return {
    files: [
      {
        path: `src/schedules/${name}.ts`,
        text: `/** In UTC, unless \`timeZone\` says another: "Europe/Berlin". */
export const ${variable} = {
  cron: ${JSON.stringify(cron)},
  target: { kind: "crew", name: ${JSON.stringify(crew)} },
  inputs: {${values.length === 0 ? "" : ` ${values.join(", ")} `}},
} as const;
`,
      },
    ],
    registration: {
      imports: [
        `import { triggers } from "edgecrew/triggers";`,
        importOf(variable, `./schedules/${name}.ts`),
      ],
      at: ["triggers", "schedules"],
      entry: entryOf(name, variable),
      call: "triggers(",
    },
    next: [
      ...(inputs.length === 0
        ? []
        : [`set the inputs in src/schedules/${name}.ts: ${inputs.join(", ")}`]),
      `edgecrew schedules ls shows when it runs`,
    ],
  };
}

export function hookFiles(
  name: string,
  { crew, inputs, scheme }: AddedTarget & { readonly scheme: string },
): Addition {
  const variable = variableOf(name);
  const secret = `${name.replaceAll(/[^A-Za-z0-9]/g, "_").toUpperCase()}_SECRET`;
  const pointers = inputs.map((each) => `${JSON.stringify(each)}: ${JSON.stringify(`/${each}`)}`);
  return {
    files: [
      {
        path: `src/hooks/${name}.ts`,
        text: `/** Inputs are JSON pointers into the body of a delivery. */
export const ${variable} = {
  scheme: ${JSON.stringify(scheme)},
  secretVariable: ${JSON.stringify(secret)},
  target: { kind: "crew", name: ${JSON.stringify(crew)} },
  inputs: {${pointers.length === 0 ? "" : ` ${pointers.join(", ")} `}},
} as const;
`,
      },
    ],
    registration: {
      imports: [
        `import { triggers } from "edgecrew/triggers";`,
        importOf(variable, `./hooks/${name}.ts`),
      ],
      at: ["triggers", "webhooks"],
      entry: entryOf(name, variable),
      call: "triggers(",
    },
    next: [
      `a line ${secret}=… in .dev.vars; edgecrew secrets put ${secret} for the deployment`,
      `senders deliver to POST /hooks/${name}`,
    ],
  };
}

function variableOf(name: string): string {
  return variableName(name.replaceAll("-", "_"));
}

const importOf = (variable: string, from: string): string =>
  `import { ${variable} } from ${JSON.stringify(from)};`;

/** As a property: `{ clerk }`, or `{ "front-desk": frontDesk }`. */
function entryOf(name: string, variable: string): string {
  return name === variable ? name : `${JSON.stringify(name)}: ${variable}`;
}
