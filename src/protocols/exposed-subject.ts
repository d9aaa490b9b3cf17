import type { AnswerSetting } from "../llm/answer-settings.ts";
import type { Subject, SubjectInfo } from "../parts/part.ts";

/** Public description of one subject, where it differs from its definition. */
export type ExposedOptions = {
  /** Public name: letters, digits, `-`, `_` and `.`. @default the subject's name */
  readonly as?: string;
  /** @default derived from the definition */
  readonly description?: string;
  /** @default derived from the definition */
  readonly skills?: SubjectInfo["skills"];
  /** Input for a caller's text. @default the only required input */
  readonly input?: string;
  /** Input for the earlier messages as a text, if the subject takes no messages. @default not passed */
  readonly history?: string;
  /**
   * Settings of the answer, such as `temperature`, that callers may set: for agents only, other subjects keep theirs.
   * @default true
   */
  readonly settings?: boolean | readonly AnswerSetting[];
};

/** A subject in the view of third-party callers. */
export type ExposedSubject = {
  /** Its public name. */
  readonly publicName: string;
  readonly kind: string;
  /** Its own name. */
  readonly name: string;
  readonly subject: Subject;
  readonly info: SubjectInfo;
  readonly options: ExposedOptions;
};
