/** The options of every command. */
export type GlobalOptions = {
  readonly url?: string;
  readonly key?: string;
  readonly profile?: string;
  readonly env?: string;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly yes: boolean;
};
