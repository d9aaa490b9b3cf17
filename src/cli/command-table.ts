import type { CommandEntry } from "./command-entry.ts";
import { PROJECT_COMMANDS } from "./project-commands.ts";
import { STORE_COMMANDS } from "./store-commands.ts";

/** Every command, in the order of help. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "build",
    about: "make .edgecrew/definitions.ts of crews/, flows/ and skills/",
    load: async () => (await import("./commands/build.ts")).build,
  },
  ...PROJECT_COMMANDS,
  {
    name: "create",
    about: "make a new project",
    load: async () => (await import("./commands/create.ts")).create,
  },
  {
    name: "dev",
    about: "serve the project on this machine",
    load: async () => (await import("./commands/dev.ts")).dev,
  },
  {
    name: "run",
    aliases: ["flow kickoff"],
    about: "start a crew, a flow or an agent, and follow it",
    load: async () => (await import("./commands/run.ts")).run,
  },
  {
    name: "usage",
    about: "tokens and cost by day, crew or model",
    load: async () => (await import("./commands/usage.ts")).usage,
  },
  {
    name: "runs ls",
    about: "list runs, newest first",
    load: async () => (await import("./commands/runs-ls.ts")).runsLs,
  },
  {
    name: "runs show",
    about: "show a run: tasks, waits, error, usage",
    load: async () => (await import("./commands/runs-show.ts")).runsShow,
  },
  {
    name: "runs watch",
    about: "follow a run that is under way, from its start",
    load: async () => (await import("./commands/runs-watch.ts")).runsWatch,
  },
  {
    name: "runs cancel",
    about: "cancel runs",
    load: async () => (await import("./commands/runs-cancel.ts")).runsCancel,
  },
  {
    name: "runs pause",
    about: "pause runs",
    load: async () => (await import("./commands/runs-pause.ts")).runsPause,
  },
  {
    name: "runs unpause",
    about: "let paused runs go on",
    load: async () => (await import("./commands/runs-unpause.ts")).runsUnpause,
  },
  {
    name: "runs delete",
    about: "delete finished runs",
    load: async () => (await import("./commands/runs-delete.ts")).runsDelete,
  },
  {
    name: "runs prune",
    about: "delete old finished runs",
    load: async () => (await import("./commands/runs-prune.ts")).runsPrune,
  },
  {
    name: "runs diff",
    about: "compare two runs",
    load: async () => (await import("./commands/runs-diff.ts")).runsDiff,
  },
  {
    name: "runs checkpoints",
    about: "list the places from which a run can be continued",
    load: async () => (await import("./commands/runs-checkpoints.ts")).runsCheckpoints,
  },
  {
    name: "tasks",
    aliases: ["log-tasks-outputs"],
    about: "list a run's tasks and their results",
    load: async () => (await import("./commands/tasks.ts")).tasks,
  },
  {
    name: "replay",
    aliases: ["fork"],
    about: "run again from a task or step",
    load: async () => (await import("./commands/replay.ts")).replay,
  },
  {
    name: "tail",
    about: "one line for each change of any run",
    load: async () => (await import("./commands/tail.ts")).tail,
  },
  {
    name: "waits",
    about: "answer open questions of runs, one by one",
    load: async () => (await import("./commands/waits.ts")).waits,
  },
  {
    name: "waits ls",
    about: "list the questions that runs wait for",
    load: async () => (await import("./commands/waits-ls.ts")).waitsLs,
  },
  {
    name: "say",
    about: "send a message to the agents of a run under way",
    load: async () => (await import("./commands/say.ts")).say,
  },
  {
    name: "waits show",
    about: "show a run's open question in full",
    load: async () => (await import("./commands/waits-show.ts")).waitsShow,
  },
  {
    name: "waits answer",
    about: "answer a run's open question",
    load: async () => (await import("./commands/waits-answer.ts")).waitsAnswer,
  },
  {
    name: "trace download",
    about: "save a run with its journal and events",
    load: async () => (await import("./commands/trace-download.ts")).traceDownload,
  },
  {
    name: "trace show",
    about: "show a saved run",
    load: async () => (await import("./commands/trace-show.ts")).traceShow,
  },
  {
    name: "trace test",
    about: "replay saved runs over the present code",
    load: async () => (await import("./commands/trace-test.ts")).traceTest,
  },
  ...STORE_COMMANDS,
  {
    name: "completion",
    about: "print a script that completes command lines in bash, zsh or fish",
    load: async () => (await import("./commands/completion.ts")).completionOf(COMMANDS),
  },
  {
    name: "help crewai",
    about: "print CrewAI's commands and their names here",
    load: async () => (await import("./commands/help-crewai.ts")).helpCrewaiOf(COMMANDS),
  },
  {
    name: "deploy",
    about: "deploy the project: resources, code, and a test of it",
    load: async () => (await import("./commands/deploy.ts")).deploy,
  },
  {
    name: "promote",
    about: "give the newer of two versions more of the requests, or all",
    load: async () => (await import("./commands/promote.ts")).promote,
  },
  {
    name: "rollback",
    about: "bring the version before back, or another one",
    load: async () => (await import("./commands/rollback.ts")).rollback,
  },
  {
    name: "status",
    about: "show deployed versions and held runs",
    load: async () => (await import("./commands/status.ts")).status,
  },
  {
    name: "logs",
    about: "follow the log of the deployed Worker",
    load: async () => (await import("./commands/logs.ts")).logs,
  },
  {
    name: "destroy",
    about: "remove a deployment, and with an option its data",
    load: async () => (await import("./commands/destroy.ts")).destroy,
  },
  {
    name: "secrets ls",
    about: "list the names of the deployed Worker's secrets",
    load: async () => (await import("./commands/secrets-ls.ts")).secretsLs,
  },
  {
    name: "secrets put",
    about: "set a secret of the deployed Worker",
    load: async () => (await import("./commands/secrets-put.ts")).secretsPut,
  },
  {
    name: "secrets rm",
    about: "remove secrets of the deployed Worker",
    load: async () => (await import("./commands/secrets-rm.ts")).secretsRm,
  },
  {
    name: "secrets rotate",
    about: "give a secret a new value",
    load: async () => (await import("./commands/secrets-rotate.ts")).secretsRotate,
  },
  {
    name: "experiments",
    about: "score a crew's work on cases, and compare with an earlier time",
    load: async () => (await import("./commands/experiments.ts")).experiments,
  },
  {
    name: "backup",
    about: "save a Worker's data and runs in a folder",
    load: async () => (await import("./commands/backup.ts")).backup,
  },
  {
    name: "restore",
    about: "put a backup into a Worker",
    load: async () => (await import("./commands/restore.ts")).restore,
  },
  {
    name: "reindex",
    about: "rebuild the list of runs from the runs themselves",
    load: async () => (await import("./commands/reindex.ts")).reindex,
  },
  {
    name: "import",
    about: "bring a CrewAI project along",
    load: async () => (await import("./commands/import.ts")).importCommand,
  },
];
