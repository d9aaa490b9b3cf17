import * as z from "zod";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { serviceFailure } from "../base/service-failure.ts";
import { bindingFailure, bound } from "./bindings.ts";

const NEED = { tool: "send_email", name: "EMAIL", settings: '[[send_email]] name = "EMAIL"' };
/** Maximum number of recipients of an email. */
const MAX_RECIPIENTS = 50;

const address = () => z.string().regex(/^[^\s@<>,;]+@[^\s@<>,;]+$/);

/** Sends emails through Cloudflare's Email Service. */
export const sendEmail = catalogTool({
  className: "SendEmailTool",
  otherNames: ["send_email"],
  displayName: "send_email",
  group: "messages",
  service: "Email Service",
  effectClass: "X",
  description: "Sends an email.",
  input: () =>
    z.object({
      to: z
        .union([address(), z.array(address()).min(1).max(MAX_RECIPIENTS)])
        .describe("An address, or several"),
      subject: z.string().min(1).max(998),
      text: z.string().optional().describe("The plain text"),
      html: z.string().optional().describe("The same as HTML"),
    }),
  options: () =>
    z.object({
      from: address(),
      fromName: z.string().min(1).optional(),
      replyTo: address().optional(),
    }),
  fixable: ["to", "subject"],
  takes: { body: "text", message: "text" },
  bindings: [NEED.name],
  check: ({ email }) => void bound(email, NEED),
  run: async ({ to, subject, text, html }, { from, fromName, replyTo }, io) => {
    if (!text?.trim() && !html?.trim())
      throw serviceFailure({
        code: "bad_request",
        message: "The email is empty: write text or html.",
      });
    const email = bound(io.services.email, NEED);
    const recipients = [to].flat();
    try {
      const { messageId } = await email.send({
        from: fromName === undefined ? from : { email: from, name: fromName },
        to: recipients,
        subject,
        ...(text === undefined ? undefined : { text }),
        ...(html === undefined ? undefined : { html }),
        ...(replyTo === undefined ? undefined : { replyTo }),
      });
      return toolResult({
        text: `Sent to ${recipients.join(", ")}.`,
        data: { id: messageId ?? null, to: recipients },
      });
    } catch (error) {
      throw bindingFailure(error, {
        service: "Email Service",
        retried: ["E_RATE_LIMIT_EXCEEDED"],
      });
    }
  },
});
