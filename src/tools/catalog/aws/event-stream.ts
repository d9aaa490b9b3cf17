// Reads event streams from AWS.
import { AwsEventReader, type AwsEvent } from "../../../base/aws-event-stream.ts";
import { badResponse } from "../base/service-failure.ts";

/** Returns the frames of a whole response. Fails with the failure `bad_response` unless it is an event stream. */
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
