/** Lifecycle callbacks for data stored about runs outside of them. */
export type RunCare = {
  /** Called before a fork's first step, and again after an interruption. The fork does not begin while this rejects. */
  readonly forked?: (run: {
    readonly tenant: string;
    readonly id: string;
    readonly from: string;
  }) => Promise<void>;
  /** Called before a run is deleted. While it rejects, the run is not deleted. */
  readonly forgotten?: (run: { readonly tenant: string; readonly id: string }) => Promise<void>;
};
