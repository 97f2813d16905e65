import { lane } from './lane';

lane(['mcp', 'oauth'], 1, 3);
