// The 2.x client in a mode, in a process of its own because it is an ES module. In `auto` it asks for the newest
// revision first. It checks results against the tools' schemas. Prints what it saw as one line of JSON.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url, token, mode] = process.argv.slice(2);
const client = new Client({ name: 'auto', version: '2.0.0' }, { versionNegotiation: { mode } });
await client.connect(
  new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
);
const { tools } = await client.listTools();
const result = await client.callTool({ name: 'search_contacts', arguments: { search: 'nobody' } });
console.log(
  JSON.stringify({
    server: client.getServerVersion(),
    tools: tools.map((tool) => tool.name),
    version: client.getNegotiatedProtocolVersion(),
    result: result.structuredContent,
  }),
);
await client.close();
