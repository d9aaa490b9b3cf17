// A collector of spans: takes what an exporter sends, as OTLP/HTTP in JSON.

export type CollectedSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly links: ReadonlyArray<{ readonly traceId: string; readonly spanId: string }>;
  /** Of texts and numbers. */
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
};

type Wire = {
  readonly resourceSpans: ReadonlyArray<{
    readonly scopeSpans: ReadonlyArray<{
      readonly spans: ReadonlyArray<
        Omit<CollectedSpan, "attributes"> & {
          readonly attributes: ReadonlyArray<{
            readonly key: string;
            readonly value: { stringValue?: string; intValue?: string; doubleValue?: number };
          }>;
        }
      >;
    }>;
  }>;
};

export class OtlpCollector {
  /** In the order of their arrival; one that is sent twice is there twice. */
  readonly spans: CollectedSpan[] = [];

  readonly fetch = async (_: string, init: RequestInit): Promise<Response> => {
    const { resourceSpans } = (await new Response(init.body).json()) as Wire;
    for (const { scopeSpans } of resourceSpans)
      for (const { spans } of scopeSpans)
        for (const span of spans) this.spans.push({ ...span, attributes: plain(span.attributes) });
    return Response.json({});
  };

  /** The spans of a run. */
  of(runId: string): readonly CollectedSpan[] {
    return this.spans.filter(({ attributes }) => attributes["edgecrew.run.id"] === runId);
  }

  /** The span of a whole run. Throws where it did not come exactly once. */
  root(runId: string): CollectedSpan {
    const [root, ...more] = this.of(runId).filter(({ name }) => name.startsWith("run "));
    if (root !== undefined && more.length === 0) return root;
    throw new Error(`run ${runId} has ${root === undefined ? "no" : "several"} spans of its own`);
  }
}

function plain(
  attributes: Wire["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["attributes"],
): CollectedSpan["attributes"] {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, doubleValue } }) => [
      key,
      stringValue ?? doubleValue ?? (intValue === undefined ? undefined : Number(intValue)),
    ]),
  );
}
