import { lane } from './lane';

lane(['mcp', 'oauth'], 2, 3);
