import type { DocumentedAnswer, DocumentedAnswers } from "./documented-answer.ts";
import type { Shape, ViewOf } from "./shape.ts";

/** An answer of an operation as JSON, with its status. */
export type JsonAnswer = {
  readonly status: 200 | 201 | 202 | 204 | 422;
  /** Absent for an answer without a body. */
  readonly json?: object;
  readonly headers?: Readonly<Record<string, string>>;
};

/** JSON, or a complete response for bytes and streams. */
export type OperationAnswer = JsonAnswer | Response;

/** A page of a list. */
export type PageOf<Item> = {
  readonly items: readonly Item[];
  readonly nextCursor?: string | undefined;
};

/** The answers that an operation's documentation allows its handler; a `Response` where one is more than JSON. */
export type AnswerTo<Answers extends DocumentedAnswers> =
  | {
      readonly [Status in keyof Answers & JsonAnswer["status"]]: AnswerWith<
        Status,
        Answers[Status]
      >;
    }[keyof Answers & JsonAnswer["status"]]
  | ResponseTo<Answers[keyof Answers]>;

type ResponseTo<Answer> = Answer extends WithJson
  ? Answer extends { readonly types: readonly string[] }
    ? Response
    : never
  : Response;

type WithJson = { readonly list: Shape } | { readonly shape: Shape | readonly Shape[] };

type AnswerWith<Status, Answer extends DocumentedAnswer> = {
  readonly status: Status;
  readonly headers?: Readonly<Record<string, string>>;
} & JsonOf<Answer>;

type JsonOf<Answer> = Answer extends { readonly list: Shape<infer Item> }
  ? { readonly json: PageOf<Item> }
  : Answer extends { readonly shape: infer Shapes }
    ? { readonly json: ViewOf<Shapes extends readonly Shape[] ? Shapes[number] : Shapes> }
    : Answer extends { readonly types: readonly string[] }
      ? { readonly json?: unknown }
      : { readonly json?: undefined };
