/** A piece of the outside world that setup makes once for all checkouts of this machine. */
export type Need = {
  /** Kebab-case; part of the folder's name. Two needs of one name are one need. */
  readonly name: string;
  /** One line for the person who waits, for example `CrewAI 1.15.30 in a Python environment`. */
  readonly what: string;
  /** Usual duration of `make`, in seconds. */
  readonly seconds: number;
  /** Disk space, in megabytes. */
  readonly megabytes: number;
  /** Everything that the content depends on. Another text makes another folder. */
  readonly requirements: () => string;
  /** Fills the folder, which is empty. Throws with the reason when this machine cannot. */
  readonly make: (options: MakeOptions) => Promise<void>;
};

export type MakeOptions = {
  readonly folder: string;
  readonly say: (line: string) => void;
};
