/** A command of CrewAI's command line, and its counterparts here. */
export type CrewaiCommand = {
  readonly crewai: string;
  /** Names of our commands; empty if no command is needed. */
  readonly here: readonly string[];
  readonly note: string;
};

/** CrewAI 1.15.30, in the order of its help. */
export const CREWAI_COMMANDS: readonly CrewaiCommand[] = [
  { crewai: "create crew|flow", here: ["create", "add"], note: "a project; within one, add" },
  { crewai: "run", here: ["run"], note: "--inputs, -f and --definition as there" },
  { crewai: "flow kickoff", here: ["run"], note: "accepted as another name" },
  { crewai: "flow plot", here: ["plot"], note: "accepted as another name" },
  { crewai: "flow add-crew", here: ["add"], note: "add crew <name>" },
  { crewai: "chat", here: ["chat"], note: "an empty line does not end it: /quit" },
  { crewai: "train", here: ["train"], note: "stored by the Worker; -f x.pkl is the name x" },
  { crewai: "test", here: ["test"], note: "the Worker's model scores, unless -m" },
  { crewai: "replay", here: ["replay"], note: "any run, from any task or step" },
  {
    crewai: "eval",
    here: ["test", "experiments", "trace test"],
    note: "a failed test is exit code 1; no data is sent",
  },
  { crewai: "log-tasks-outputs", here: ["tasks"], note: "of any run" },
  { crewai: "reset-memories", here: ["reset-memories"], note: "-m -kn -akn -k -a; asks first" },
  {
    crewai: "memory",
    here: [
      "memory",
      "memory tree",
      "memory ls",
      "memory recall",
      "memory remember",
      "memory forget",
      "memory reset",
    ],
    note: "the embedder is the Worker's",
  },
  {
    crewai: "checkpoint",
    here: ["runs checkpoints", "replay", "runs diff", "runs prune"],
    note: "every finished task is one",
  },
  {
    crewai: "install, update, uv",
    here: ["migrate"],
    note: "npm installs; migrate is for upgrades",
  },
  { crewai: "version", here: ["version"], note: "also of wrangler, workerd, Node, the Worker" },
  {
    crewai: "login, logout",
    here: ["login", "logout"],
    note: "a Worker and its key, not an account",
  },
  { crewai: "org", here: ["config use", "keys create"], note: "tenants: keys create --tenant" },
  { crewai: "enterprise configure", here: ["login"], note: "login --url <address>" },
  {
    crewai: "config",
    here: ["config ls", "config get", "config set", "config use", "config rm", "config path"],
    note: "profiles of Workers",
  },
  {
    crewai: "deploy create, push",
    here: ["deploy"],
    note: "one command, the first time and the tenth",
  },
  { crewai: "deploy validate", here: ["check"], note: "also a part of deploy" },
  {
    crewai: "deploy list, status, logs, remove",
    here: ["status", "logs", "destroy"],
    note: "",
  },
  { crewai: "tool", here: ["add"], note: "add tool <name>; npm publishes" },
  { crewai: "skill", here: ["add", "skills"], note: "add skill <name> --from <folder>" },
  { crewai: "template", here: ["create"], note: "create --list, create --template" },
  { crewai: "triggers list, run", here: ["triggers ls", "triggers run"], note: "" },
  { crewai: "traces", here: [], note: "no data is sent to third parties" },
  { crewai: "env view", here: ["doctor"], note: "" },
];
