// A model that loads its adapter on its first call, so a program starts without unused adapters.
import { loadPart } from "../base/load-part.ts";
import type { JsonObject } from "../base/json.ts";
import { accountOf } from "./account.ts";
import type { Connection } from "./connection.ts";
import type {
  CallOptions,
  LanguageModel,
  ModelCapabilities,
  ModelRequest,
  ModelResponse,
} from "./language-model.ts";
import type { ModelFiles } from "./model-files.ts";
import type { Price } from "./model-data.ts";

/** Facts about a model before its adapter is loaded. */
export type LateModelOptions = {
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  readonly contextWindow: number;
  readonly missingKey?: string | undefined;
  /** Set for models whose provider stores files. */
  readonly files?: LateFiles | undefined;
  readonly shown?: JsonObject | undefined;
  readonly ownPrice?: Price | undefined;
  readonly load: () => Promise<LanguageModel>;
};

type LateFiles = {
  /** Limits until the adapter is loaded. */
  readonly limits: string;
  readonly preferUpload: boolean | undefined;
  readonly connection: Connection;
};

export class LateModel implements LanguageModel {
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  readonly contextWindow: number;
  readonly missingKey: string | undefined;
  readonly files: ModelFiles | undefined;
  readonly settings: JsonObject | undefined;
  readonly price: Price | undefined;
  readonly #load: () => Promise<LanguageModel>;
  #loading: Promise<LanguageModel> | undefined;
  #model: LanguageModel | undefined;

  constructor(options: LateModelOptions) {
    this.id = options.id;
    this.capabilities = options.capabilities;
    this.contextWindow = options.contextWindow;
    this.missingKey = options.missingKey;
    this.settings = options.shown;
    this.price = options.ownPrice;
    this.#load = options.load;
    this.files = options.files && this.#lateFiles(options.files);
  }

  generate(request: ModelRequest, options: CallOptions): Promise<ModelResponse> {
    if (this.#model !== undefined) return this.#model.generate(request, options);
    return this.#loaded().then((model) => model.generate(request, options));
  }

  /** Loads the adapter. After a failed load, the next call tries again. */
  async #loaded(): Promise<LanguageModel> {
    this.#loading ??= loadPart(this.#load);
    try {
      return (this.#model = await this.#loading);
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
  }

  #lateFiles({ limits, preferUpload, connection }: LateFiles): ModelFiles {
    const loaded = async (): Promise<ModelFiles> => (await this.#loaded()).files as ModelFiles;
    const current = (): string => this.#model?.files?.limits ?? limits;
    return {
      get limits() {
        return current();
      },
      preferUpload,
      account: () => accountOf(connection),
      upload: async (file, options) => {
        const { upload } = (await loaded()) as Required<ModelFiles>;
        return upload(file, options);
      },
      remove: async (fileId, options) => {
        const { remove } = (await loaded()) as Required<ModelFiles>;
        return remove(fileId, options);
      },
    };
  }
}
