// Reads answers of AWS that are event streams.
import { AwsEventReader, type AwsEvent } from "../../../base/aws-event-stream.ts";
import { badResponse } from "../base/service-failure.ts";

/** The frames of a whole answer. Throws the failure `bad_response` for what is no event stream. */
export function streamEvents(bytes: Uint8Array, service: string): readonly AwsEvent[] {
  const reader = new AwsEventReader();
  try {
    const events = reader.read(bytes);
    if (!reader.isOpen) return events;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw badResponse(service, "no event stream");
}
