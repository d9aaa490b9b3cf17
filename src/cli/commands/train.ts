import { wrongUse } from "../cli-failure.ts";
import { ACTION_OPTIONS } from "../action-options.ts";
import { command } from "../command.ts";
import { followRun } from "../follow-run.ts";
import { startInputs } from "../start-inputs.ts";
import { subjectOf } from "../startable.ts";
import { trainingName } from "../training-name.ts";

/** `edgecrew train`: a crew learns from a person's feedback. */
export const train = command({
  name: "train",
  serves: true,
  about: "run a crew several times, and have it learn from your feedback",
  args: "[crew]",
  example: "edgecrew train briefing -n 2 --input topic=tea",
  options: {
    iterations: {
      about: "number of runs: default 5; also --n-iterations",
      value: "n",
      short: "n",
      integer: { least: 1, most: 100 },
    },
    name: { about: "name of the training: default the crew's", value: "name" },
    filename: { about: "as CrewAI writes it: x.pkl is the name x", value: "file", short: "f" },
    ...ACTION_OPTIONS,
  },
  spellings: { "--n-iterations": "--iterations", "--n_iterations": "--iterations" },
  run: async (context, { args: [named], options }) => {
    const { iterations = 5, filename } = options;
    if (options.name !== undefined && filename !== undefined)
      throw wrongUse("expected --name or --filename, got both");
    const name = options.name ?? (filename === undefined ? undefined : trainingName(filename));
    const client = await context.client();
    const crew = await subjectOf(context, client, { named, kinds: ["crew"], verb: "train" });
    const wanted = { written: options, verb: "train" };
    const inputs = await startInputs(context, { client, subject: crew }, wanted);
    const run = await client.crews.train(crew.name, {
      iterations,
      inputs,
      ...(name === undefined ? {} : { name }),
      ...(options.id === undefined ? {} : { id: options.id }),
    });
    if (options.detach) return context.out.result({ id: run.id }, () => run.id);
    context.out.note(`run ${run.id}`);
    return followRun(context, run, { ...options, name: crew.name });
  },
});
