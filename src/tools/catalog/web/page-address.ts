import { preview } from "../../../base/json.ts";
import { serviceFailure } from "../base/service-failure.ts";

/** Matches `example.com`, `example.com:8080/x`: a host with a dot, and no scheme. */
const HOST_FIRST = /^[^\s/?#:@]+\.[^\s/?#:@]+(?::\d+)?(?:[/?#]|$)/;

/**
 * Returns the address of a page written by people or models: without a scheme it is https. Throws the failure
 * `bad_request`.
 */
export function pageAddress(text: string): string {
  const address = text.trim();
  const whole = HOST_FIRST.test(address) ? `https://${address}` : address;
  if (URL.canParse(whole)) return whole;
  throw serviceFailure({
    code: "bad_request",
    message: `${preview(text, 200)} is no address of a page: give one such as https://example.com/page.`,
  });
}
