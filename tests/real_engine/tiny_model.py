"""A tiny Llama with random weights, so that a real engine streams real tokens without weights from anywhere.

The vocabulary is like SentencePiece's: 3 specials, 256 bytes and 997 words, so any prompt can be encoded. Specials
and bytes have no weight in the output layer, so answers never end by themselves and run to the asked length.
"""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
import numpy.typing as npt

SPECIALS = 3
BYTES = 256
WORDS = 997
LAYERS, WIDTH, HEADS, INNER_WIDTH = 4, 256, 4, 512
CONTEXT_TOKENS = 32_768
CHAT_TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"

Weights = npt.NDArray[np.float32]


def write_tiny_model(path: Path, *, seed: int = 1) -> None:
    """About 13 MB; the same seed gives the same file."""
    random = np.random.default_rng(seed)
    writer = gguf.GGUFWriter(str(path), "llama")
    describe(writer)
    add_vocabulary(writer)
    add_weights(writer, random)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def describe(writer: gguf.GGUFWriter) -> None:
    writer.add_name("tiny-random")
    writer.add_context_length(CONTEXT_TOKENS)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER_WIDTH)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_chat_template(CHAT_TEMPLATE)


def add_vocabulary(writer: gguf.GGUFWriter) -> None:
    tokens = [b"<unk>", b"<s>", b"</s>"]
    tokens += [b"<0x%02X>" % value for value in range(BYTES)]
    tokens += [f"▁w{number}".encode() for number in range(WORDS)]
    kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL]
    kinds += [gguf.TokenType.BYTE] * BYTES + [gguf.TokenType.NORMAL] * WORDS
    scores = [0.0] * SPECIALS + [-1000.0] * BYTES + [-float(number) for number in range(WORDS)]
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores(scores)
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(True)


def add_weights(writer: gguf.GGUFWriter, random: np.random.Generator) -> None:
    def drawn(*shape: int) -> Weights:
        return (random.standard_normal(shape) * 0.05).astype(np.float32)

    tokens = SPECIALS + BYTES + WORDS
    writer.add_tensor("token_embd.weight", drawn(tokens, WIDTH))
    output = drawn(tokens, WIDTH) * 4
    output[: SPECIALS + BYTES] = 0
    writer.add_tensor("output.weight", output)
    writer.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
    for layer in range(LAYERS):
        prefix = f"blk.{layer}."
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            writer.add_tensor(f"{prefix}{part}.weight", drawn(WIDTH, WIDTH))
        for norm in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"{prefix}{norm}.weight", np.ones(WIDTH, np.float32))
        writer.add_tensor(f"{prefix}ffn_gate.weight", drawn(INNER_WIDTH, WIDTH))
        writer.add_tensor(f"{prefix}ffn_up.weight", drawn(INNER_WIDTH, WIDTH))
        writer.add_tensor(f"{prefix}ffn_down.weight", drawn(WIDTH, INNER_WIDTH))
