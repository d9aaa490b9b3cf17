// Projects as CrewAI's users have them: each loads, and runs to its end.
import { describe, expect, it } from "vitest";
import { InMemoryFileStore } from "../../../src/files/in-memory-file-store.ts";
import { modelCatalog } from "../../../src/llm/model-catalog.ts";
import type { ModelRequest } from "../../../src/llm/language-model.ts";
import { scriptedModel, type ScriptedReply } from "../../../src/llm/scripted/scripted-model.ts";
import { crewFromProject, definitionFromProject } from "../../../src/project/crew-from-project.ts";
import {
  EXAMPLE_PROJECTS,
  FUNCTIONS,
  SCHEMAS,
  type ExampleProject,
} from "../../support/crewai-projects.ts";

/** Fills every shape that it is asked for, and otherwise answers with a text. */
function answers({ messages }: ModelRequest): ScriptedReply {
  const asked = JSON.stringify(messages);
  if (asked.includes('\\"reason\\"')) return '{"score":7,"reason":"good"}';
  if (asked.includes('\\"steps\\"')) return '{"steps":[{"name":"dig","hours":2}]}';
  if (asked.includes('\\"title\\"')) return '{"title":"Tea","body":"Hot"}';
  return "A fine answer";
}

function loaded({ files, additions }: ExampleProject) {
  return crewFromProject(files, { additions, schemas: SCHEMAS, functions: FUNCTIONS });
}

describe.each(EXAMPLE_PROJECTS.map((project) => [project.name, project] as const))(
  "%s",
  (_, project) => {
    const services = { files: new InMemoryFileStore() };
    const { inputs, prompt } = project;

    it("runs to its end with a scripted model, its inputs in the prompts", async () => {
      const model = scriptedModel(answers);
      const crew = loaded(project);
      const { tasks } = await crew.start({ inputs, services, models: () => model }).output();
      expect(tasks).toHaveLength(crew.tasks.length);
      expect(tasks.every(({ raw }) => raw !== "")).toBe(true);
      const texts = model.calls[0]?.request.messages.map(({ content }) => content).join("\n") ?? "";
      for (const text of prompt) expect(texts).toContain(text);
    });

    it("runs to its end with the offline model", async () => {
      const demo = modelCatalog({ variables: {} });
      const handle = loaded(project).start({
        inputs,
        services,
        models: () => demo("offline/demo"),
      });
      expect((await handle.output()).raw).not.toBe("");
    });

    it("is the same crew as a stored definition", () => {
      const definition = definitionFromProject(project.files, { additions: project.additions });
      expect(definition.tasks.map(({ name }) => name)).toEqual(
        loaded(project).tasks.map(({ name }) => name),
      );
    });
  },
);
