// Bodies of A2A 0.3 over HTTP+JSON in the description of the API. They are translated before they are checked.
import * as z from "zod";
import { PARAMS } from "../schema.ts";

const id = z.string().min(1).max(256);

const part = z.union([
  z.looseObject({ text: z.string() }),
  z.looseObject({ file: z.looseObject({ fileWithUri: z.string().min(1).max(8192) }) }),
  z.looseObject({
    file: z.looseObject({ fileWithBytes: z.string().regex(/^[A-Za-z0-9+/_-]*={0,2}$/) }),
  }),
  z.looseObject({ data: z.looseObject({ data: z.unknown() }) }),
]);

const message = z.looseObject({
  messageId: id,
  role: z.enum(["ROLE_USER", "user"]),
  content: z.array(part).min(1).max(64),
});

const pushConfig = PARAMS.CreateTaskPushNotificationConfig.omit({
  taskId: true,
  authentication: true,
});

/** By operation. */
export const oldRestBodies = {
  SendMessage: {
    name: "A2AOldSendMessage",
    schema: z.looseObject({
      request: message.describe("The message; SDKs call it `message` as well."),
    }),
    types: [],
  },
  CreateTaskPushNotificationConfig: {
    name: "A2AOldPushConfigBody",
    schema: z.looseObject({ pushNotificationConfig: pushConfig }),
    types: [],
  },
} as const;
