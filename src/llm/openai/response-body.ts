/**
 * The body of an answer, read here: the SDK would race it against a timer of its own, and the step's limit covers it
 * already. A body that is not JSON is given back as it is, for the error that quotes it.
 */
export async function readBody(pending: { asResponse(): Promise<Response> }): Promise<unknown> {
  const response = await pending.asResponse();
  const body = await response.text();
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
