import { EngineError } from "../../base/error.ts";
import { readMarkup, type MarkupHandler } from "./markup.ts";
import type { ReadingWork } from "./reading-work.ts";
import { scanXml } from "./xml-scanner.ts";
import { ZipFile } from "./zip.ts";

type Relation = { readonly type: string; readonly target: string };

const MAX_MATCH = 200;
/** Work of opening a part, in characters read. */
const WORK_PER_PART = 5_000;
const nothing = (): void => undefined;

/** The parts of an Office document (DOCX, XLSX), by the relations between them. */
export class OfficeFile {
  readonly #zip: ZipFile;
  readonly #work: ReadingWork;

  constructor(bytes: Uint8Array, what: string, work: ReadingWork) {
    this.#zip = new ZipFile(bytes, what);
    this.#work = work;
  }

  /** Reads a part as XML. A missing part produces no calls. */
  async read(part: string | undefined, handler: Partial<MarkupHandler>): Promise<void> {
    if (part === undefined) return;
    this.#work.spend(WORK_PER_PART);
    const whole = { open: nothing, close: nothing, text: nothing, ...handler };
    await readMarkup(this.#zip.text(part), whole, this.#work);
  }

  /** As `read`, for parts of many small elements, and yields after each piece of the part. */
  pieces(part: string, handler: MarkupHandler): AsyncGenerator<undefined> {
    this.#work.spend(WORK_PER_PART);
    return scanXml(this.#zip.text(part), handler, this.#work);
  }

  /** Yields the matches of a pattern of at most 200 characters in the text of a part, which is not parsed. */
  async *matches(part: string | undefined, pattern: RegExp): AsyncGenerator<RegExpExecArray> {
    this.#work.spend(WORK_PER_PART);
    let rest = "";
    for (const text of part === undefined ? [] : this.#zip.text(part, { isCounted: false })) {
      const piece = rest + text;
      let end = 0;
      for (const match of piece.matchAll(pattern)) {
        end = match.index + match[0].length;
        yield match;
      }
      rest = piece.slice(Math.max(end, piece.length - MAX_MATCH));
      this.#work.spend(text.length / 20);
      await this.#work.pause();
    }
  }

  /** Returns the relations of a part, by their ids; without a part, those of the document. */
  async relations(part = ""): Promise<ReadonlyMap<string, Relation>> {
    const folder = part.slice(0, part.lastIndexOf("/") + 1);
    const relations = new Map<string, Relation>();
    await this.read(`${folder}_rels/${part.slice(folder.length)}.rels`, {
      open: (name, attributes) => {
        const { Id: id, Type: type = "", Target: target = "" } = attributes;
        if (name !== "Relationship" || id === undefined) return;
        relations.set(id, {
          type: type.slice(type.lastIndexOf("/") + 1),
          target: pathOf(folder, target),
        });
      },
    });
    return relations;
  }

  /** Returns the document's main part. Throws `invalid_input` for a ZIP of another kind. */
  async main(what: string, root: string): Promise<string> {
    const relations = await this.relations();
    const main = [...relations.values()].find(({ type }) => type === "officeDocument")?.target;
    if (main !== undefined && this.#zip.has(main) && main.includes(root)) return main;
    throw new EngineError(
      "invalid_input",
      `the document is no ${what}: it is a ZIP file without a ${root}`,
    );
  }
}

function pathOf(folder: string, target: string): string {
  const path: string[] = [];
  for (const part of (target.startsWith("/") ? target : folder + target).split("/"))
    if (part === "..") path.pop();
    else if (part !== "" && part !== ".") path.push(part);
  return path.join("/");
}
