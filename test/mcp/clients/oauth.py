"""Does what oauth.mjs does, with the official Python client."""

import asyncio
import json
import sys
from urllib.parse import parse_qs, urlsplit

from mcp import ClientSession
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata

url, client_id, redirect_url, mode, calls = sys.argv[1:]


class Storage:
    tokens = None
    client = OAuthClientInformationFull(
        client_id=client_id, redirect_uris=[redirect_url], token_endpoint_auth_method="none"
    )

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


async def main():
    came = asyncio.get_running_loop().create_future()

    async def answer(reader, writer):
        target = (await reader.readline()).split()[1].decode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\nConnected")
        await writer.drain()
        writer.close()
        came.set_result({name: values[0] for name, values in parse_qs(urlsplit(target).query).items()})

    async def redirect(asked):
        print(f"Please navigate to: {asked}", file=sys.stderr, flush=True)

    async def callback():
        back = await came
        return AuthorizationCodeResult(code=back["code"], state=back["state"], iss=back["iss"])

    storage = Storage()
    metadata = OAuthClientMetadata(
        client_name="Program", redirect_uris=[redirect_url], token_endpoint_auth_method="none"
    )
    provider = OAuthClientProvider(url, metadata, storage, redirect, callback)
    async with (
        await asyncio.start_server(answer, "127.0.0.1", urlsplit(redirect_url).port),
        create_mcp_http_client(auth=provider) as http,
        streamable_http_client(url, http_client=http) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        await (session.initialize() if mode == "legacy" else session.discover())
        tools = [tool.name for tool in (await session.list_tools()).tools]
        texts = [(await session.call_tool(name, arguments)).content[0].text for name, arguments in json.loads(calls)]
        version = session.protocol_version
        print(json.dumps({"version": version, "scope": storage.tokens.scope, "tools": tools, "texts": texts}))


asyncio.run(main())
