import { systemFetch } from "../base/system.ts";

/**
 * Sees, and may replace, each HTTP request to a provider and each response from it. Only in code, not in stored
 * definitions. It is called inside the step of the model call, once per attempt; its error fails the attempt.
 * `onInbound` gets the response before its body is read, and must replace a body it reads.
 */
export type ModelInterceptor = {
  readonly onOutbound?: (request: Request) => Request | void | Promise<Request | void>;
  readonly onInbound?: (
    response: Response,
    request: Request,
  ) => Response | void | Promise<Response | void>;
};

/** Returns a fetch through the interceptors: requests in their order, responses in the opposite one. */
export function interceptedFetch(
  inner: typeof fetch | undefined,
  interceptors: readonly ModelInterceptor[],
): typeof fetch | undefined {
  if (interceptors.length === 0) return inner;
  return async (input, init) => {
    let request = new Request(input, init);
    for (const interceptor of interceptors)
      request = (await interceptor.onOutbound?.(request)) ?? request;
    let response = await (inner ?? systemFetch)(request);
    for (const interceptor of interceptors.toReversed())
      response = (await interceptor.onInbound?.(response, request)) ?? response;
    return response;
  };
}
