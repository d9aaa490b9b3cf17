/** The models that answer in JSON of a schema: developers.cloudflare.com/workers-ai/features/json-mode. */
export function takesResponseSchema(model: string): boolean {
  return /llama-3(?:\.1-8b-instruct(?:-fast)?|\.1-70b-instruct|\.3-70b-instruct-fp8-fast|-8b-instruct|\.2-11b-vision-instruct)$|hermes-2-pro-mistral-7b$|deepseek-coder-6\.7b-instruct-awq$|deepseek-r1-distill-qwen-32b$/.test(
    model,
  );
}
