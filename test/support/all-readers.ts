import { crewProjects } from "../../src/project/crew-projects.ts";
import { definitionReaders } from "../../src/project/definition-readers.ts";

/** Readers of an app that accepts definitions in every form. */
export const allReaders = definitionReaders(crewProjects());
