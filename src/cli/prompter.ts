export type Question = {
  readonly message: string;
  /** Withdraws the question: the promise rejects. */
  readonly signal?: AbortSignal;
};

/** A person at a terminal. Ctrl-C at a question throws exit code 130. */
export type Prompter = {
  readonly text: (
    question: Question & {
      readonly initial?: string;
      /** Returns a fault to show, or undefined. */
      readonly check?: (answer: string) => string | undefined;
    },
  ) => Promise<string>;
  /** Typed without being shown. */
  readonly secret: (question: Question) => Promise<string>;
  readonly confirm: (question: Question & { readonly initial?: boolean }) => Promise<boolean>;
  readonly choose: <Value extends string>(
    question: Question,
    choices: ReadonlyArray<{ readonly value: Value; readonly hint?: string }>,
  ) => Promise<Value>;
};
