"""all-MiniLM-L6-v2 behind /v1/embeddings on loopback, with numpy on one thread.

Prints `listening <port>`. The argument is the folder of the weights.
"""

import json
import os
import sys

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

from http.server import BaseHTTPRequestHandler, HTTPServer  # noqa: E402

import numpy as np  # noqa: E402
from safetensors.numpy import load_file  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

HEADS = 12
MAX_TOKENS = 256


def erf(x):
    """Abramowitz and Stegun 7.1.26; its error is below 1.5e-7."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    polynomial = t * (
        0.254829592
        + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
    )
    return np.sign(x) * (1 - polynomial * np.exp(-x * x))


class Embedder:
    def __init__(self, folder):
        self.weights = load_file(f"{folder}/model.safetensors")
        self.tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(MAX_TOKENS)
        layers = [key for key in self.weights if key.endswith("attention.self.query.weight")]
        self.layers = len(layers)

    def linear(self, x, name):
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, x, name):
        mean = x.mean(-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(-1, keepdims=True)
        scaled = (x - mean) / np.sqrt(variance + 1e-12)
        return scaled * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def embed(self, text):
        ids = self.tokenizer.encode(text).ids
        count = len(ids)
        x = (
            self.weights["embeddings.word_embeddings.weight"][ids]
            + self.weights["embeddings.position_embeddings.weight"][:count]
            + self.weights["embeddings.token_type_embeddings.weight"][0]
        )
        x = self.norm(x, "embeddings.LayerNorm")
        for layer in range(self.layers):
            x = self.layer(x, f"encoder.layer.{layer}")
        mean = x.mean(0)
        return mean / np.linalg.norm(mean), count

    def layer(self, x, name):
        count, width = x.shape
        split = lambda y: y.reshape(count, HEADS, width // HEADS).transpose(1, 0, 2)  # noqa: E731
        query, key, value = (
            split(self.linear(x, f"{name}.attention.self.{part}")) for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(width // HEADS)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        mixed = (scores @ value).transpose(1, 0, 2).reshape(count, width)
        x = self.norm(
            x + self.linear(mixed, f"{name}.attention.output.dense"),
            f"{name}.attention.output.LayerNorm",
        )
        inner = self.linear(x, f"{name}.intermediate.dense")
        inner = inner * 0.5 * (1 + erf(inner / np.sqrt(2)))
        return self.norm(x + self.linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        given = body["input"]
        texts = [given] if isinstance(given, str) else given
        made = [embedder.embed(text) for text in texts]
        tokens = sum(count for _, count in made)
        data = [
            {"object": "embedding", "index": index, "embedding": [float(x) for x in vector]}
            for index, (vector, _) in enumerate(made)
        ]
        answer = {
            "object": "list",
            "data": data,
            "model": body.get("model", "minilm"),
            "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
        }
        text = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


embedder = Embedder(sys.argv[1])
server = HTTPServer(("127.0.0.1", 0), Handler)
print(f"listening {server.server_port}", flush=True)
server.serve_forever()
