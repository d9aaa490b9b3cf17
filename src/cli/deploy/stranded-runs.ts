import { askAbout, deployedWorker } from "./deployed-worker.ts";
import { deployStep, type DeploySession } from "./deploy-session.ts";
import {
  packageObjectSchema,
  refuseStranded,
  schemaInTag,
  type ObjectSchema,
} from "./object-schema.ts";

/** Compares the layout of the deployed code with those that the new code can open, before any change. */
export async function refuseStrandedRuns(session: DeploySession): Promise<void> {
  const { context, options, project, environment } = session;
  const own = packageObjectSchema(project.folder);
  if (own === undefined || options.force.includes("object_schema")) return;
  const present = await presentSchema(session);
  if (present === undefined) {
    context.out.note("! the storage layout of the deployed code is unknown");
    return;
  }
  const { worker } = environment;
  const force = "or --force object_schema, and runs that were opened since stand still";
  refuseStranded(own, {
    writes: present.writes,
    what: `${worker} runs newer code than this`,
    fix: `npm install the newer edgecrew; ${force}`,
  });
  const isBeside = (options.gradual ?? 100) < 100 || session.preview !== undefined;
  if (isBeside)
    refuseStranded(present, {
      writes: own.writes,
      what: `${worker} cannot run this code beside the old one`,
      fix: `edgecrew deploy without --gradual; ${force}`,
    });
  else if (!present.reads.includes(own.writes))
    context.out.note(
      `! the code before cannot be brought back after this: it cannot open the storage layout ${own.writes}`,
    );
}

async function presentSchema(session: DeploySession): Promise<ObjectSchema | undefined> {
  const worker = deployedWorker(session.context, session);
  const about = worker === undefined ? undefined : await askAbout(session.context, worker);
  return about?.storage.objectSchema ?? (await schemaOfDeployed(session));
}

/** Reads the tag of the deployed version if the Worker cannot be asked. */
async function schemaOfDeployed(session: DeploySession): Promise<ObjectSchema | undefined> {
  const { cloud } = session;
  const [present] = await deployStep(session, "deployments", () => cloud.deployments());
  const versions = await deployStep(session, "versions", () => cloud.versions());
  const id = present?.shares[0]?.version;
  return schemaInTag(versions.find((version) => version.id === id)?.tag);
}
