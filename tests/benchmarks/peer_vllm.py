"""Runs in a Python that has vLLM's benchmark client: its request function, one shared session, all streams at once.

Prints what the client says of each request. TTFT is the client's own; speed is 1 / its time per output token, which is
(latency − TTFT) / (output tokens − 1), as its report computes it.
"""

from __future__ import annotations

import asyncio
import json
import sys
import uuid
from typing import Any


async def ask_all(plan: dict[str, Any]) -> list[dict[str, object]]:
    import aiohttp
    from vllm.benchmarks.lib import endpoint_request_func as client

    connector = aiohttp.TCPConnector(limit=plan["streams"], limit_per_host=plan["streams"], force_close=True)
    said: list[dict[str, object]] = []
    async with aiohttp.ClientSession(connector=connector, trust_env=False) as session:

        async def ask() -> None:
            request = client.RequestFuncInput(
                prompt=plan["prompt"],
                api_url=f"{plan['url']}/chat/completions",
                prompt_len=20,
                output_len=plan["tokens"],
                model=plan["model"],
                request_id=uuid.uuid4().hex,
            )
            answer = await client.async_request_openai_chat_completions(request, session)
            if answer.success:
                per_token_s = (answer.latency - answer.ttft) / (answer.output_tokens - 1)
                said.append(
                    {
                        "request_id": request.request_id,
                        "ttft_ms": answer.ttft * 1000,
                        "speed_tps": 1 / per_token_s,
                    }
                )

        for _ in range(plan["requests"] // plan["streams"]):
            await asyncio.gather(*(ask() for _ in range(plan["streams"])))
    return said


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(ask_all(json.loads(sys.argv[1])))))
