import { CliFailure } from "../cli-failure.ts";
import { CloudFault } from "../cloud/cloud.ts";

/**
 * Only whole deployments can make and remove classes of objects. Throws exit code 1 if the platform refuses another one
 * for that reason.
 */
export function refuseClassChange(error: unknown): never {
  refuse(
    error,
    "this code changes the classes of objects, and cannot run beside the old one",
    "edgecrew deploy without --gradual and --preview",
  );
}

export function refuseClassRollback(error: unknown): never {
  refuse(
    error,
    "classes of objects were made or removed since: the code before cannot run them",
    "fix the code, and edgecrew deploy",
  );
}

function refuse(error: unknown, message: string, fix: string): never {
  const fault = error instanceof CloudFault ? error : (error as Error).cause;
  if (fault instanceof CloudFault && /migration/i.test(fault.output))
    throw new CliFailure(1, message, { code: "class_migration", fix, cause: error });
  throw error;
}
