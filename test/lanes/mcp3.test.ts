import { lane } from './lane';

lane(['mcp', 'oauth'], 3, 3);
