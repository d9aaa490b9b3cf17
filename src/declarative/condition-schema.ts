import * as z from "zod";
import type { Condition } from "../flow/condition.ts";

const branches = z.array(z.lazy((): z.ZodType<Condition> => conditionSchema)).min(1);

/** A name, or names joined by `or` and `and`; they nest. */
export const conditionSchema: z.ZodType<Condition> = z.union([
  z.string().min(1),
  z.strictObject({ and: branches }),
  z.strictObject({ or: branches, race: z.boolean().optional() }),
]) as z.ZodType<Condition>;
