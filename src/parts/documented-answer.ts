import type { AnswerHeader } from "./headers.ts";
import type { Shape } from "./shape.ts";

/** The documentation of one status of an operation. */
export type DocumentedAnswer = {
  readonly description: string;
  /** The shape of its JSON, or several for one of them. Absent for an answer without JSON. */
  readonly shape?: Shape | readonly Shape[];
  /** In place of `shape`: the shape of the items of a page. */
  readonly list?: Shape;
  /** The media type of the shape. @default "application/json" */
  readonly shapeType?: string;
  /** Media types in addition to the shape's, or in its place. The handler may answer with a response of its own. */
  readonly types?: readonly string[];
  /** The answer may also have no body. */
  readonly mayBeEmpty?: true;
  /** Possible headers of the answer. */
  readonly headers?: readonly AnswerHeader[];
};

/** The documented answers of an operation, by status. */
export type DocumentedAnswers = Readonly<Record<number, DocumentedAnswer>>;
