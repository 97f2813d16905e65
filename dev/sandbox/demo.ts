import type { JsonObject } from './types';

interface DemoOptions {
  accessToken: string;
  appSecret: string;
  verifyToken: string;
  webhookUrl?: string;
  /** Do the webhook handshake at once; the receiver must be listening. */
  verify?: boolean;
}

export const demoBusinessAccountId = '102290129340398';
export const demoPhoneNumberId = '106540352242922';
export const demoSecondPhoneNumberId = '106540352242923';
export const demoFlowId = '998877665544331';
export const demoProductId = '7001';

/** Returns the body of `POST /_control/accounts` for the demo: one shop with everything worth trying. */
export function demoAccount({ accessToken, appSecret, verifyToken, webhookUrl, verify }: DemoOptions): JsonObject {
  return {
    business_account_id: demoBusinessAccountId,
    name: 'Green Garden',
    access_token: accessToken,
    app_secret: appSecret,
    verify_token: verifyToken,
    ...(webhookUrl ? { webhook_url: webhookUrl } : {}),
    ...(verify ? { verify } : {}),
    catalog_id: '194836987003835',
    catalog_name: 'Green Garden shop',
    phone_numbers: [
      {
        id: demoPhoneNumberId,
        display_phone_number: '+1 555-010-0100',
        verified_name: 'Green Garden',
        username: 'greengarden',
        username_status: 'approved',
      },
      {
        id: demoSecondPhoneNumberId,
        display_phone_number: '+49 30 55501000',
        verified_name: 'Green Garden Berlin',
        messaging_limit: 'TIER_2K',
      },
    ],
    templates,
    flows,
    products,
  };
}

const templates: JsonObject[] = [
  {
    id: '564750795574598',
    name: 'ticket_update',
    language: 'en_US',
    category: 'UTILITY',
    status: 'APPROVED',
    components: [
      {
        type: 'BODY',
        text: 'Your ticket {{1}} is now in stage {{2}}. We will keep you posted.',
        example: { body_text: [['T-19', 'Resolved']] },
      },
      { type: 'FOOTER', text: 'Green Garden support' },
    ],
  },
  {
    id: '564750795574599',
    name: 'delivery_scheduled',
    language: 'en_US',
    category: 'UTILITY',
    status: 'APPROVED',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Delivery for {{1}}', example: { header_text: ['Anna'] } },
      {
        type: 'BODY',
        text: 'Your order {{1}} arrives on {{2}}. Is somebody at home?',
        example: { body_text: [['#4711', '1 January 2027']] },
      },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'Yes' },
          { type: 'QUICK_REPLY', text: 'Another day' },
          { type: 'URL', text: 'Track', url: 'https://example.com/track/{{1}}', example: ['4711'] },
        ],
      },
    ],
  },
  {
    id: '564750795574600',
    name: 'spring_sale',
    language: 'en_US',
    category: 'MARKETING',
    status: 'APPROVED',
    parameter_format: 'NAMED',
    components: [
      {
        type: 'BODY',
        text: 'Hi {{first_name}}, everything for the garden is {{discount}} off this week.',
        example: {
          body_text_named_params: [
            { param_name: 'first_name', example: 'Anna' },
            { param_name: 'discount', example: '20%' },
          ],
        },
      },
      { type: 'FOOTER', text: 'Reply STOP to opt out' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'Show me' },
          { type: 'QUICK_REPLY', text: 'Stop promotions' },
        ],
      },
    ],
  },
  {
    id: '564750795574601',
    name: 'login_code',
    language: 'en_US',
    category: 'AUTHENTICATION',
    status: 'APPROVED',
    components: [
      {
        type: 'BODY',
        text: '*{{1}}* is your verification code. For your security, do not share this code.',
        add_security_recommendation: true,
        example: { body_text: [['123456']] },
      },
      { type: 'FOOTER', text: 'This code expires in 10 minutes.', code_expiration_minutes: 10 },
      {
        type: 'BUTTONS',
        buttons: [
          {
            type: 'URL',
            text: 'Copy code',
            url: 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}',
            example: ['https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp123456'],
          },
        ],
      },
    ],
  },
  {
    id: '564750795574602',
    name: 'feedback_request',
    language: 'en_US',
    category: 'MARKETING',
    status: 'PENDING',
    components: [
      { type: 'BODY', text: 'How did we do with your order {{1}}? Tell us.', example: { body_text: [['#4711']] } },
    ],
  },
  {
    id: '564750795574603',
    name: 'free_gift',
    language: 'en_US',
    category: 'MARKETING',
    status: 'REJECTED',
    rejected_reason: 'PROMOTIONAL',
    components: [{ type: 'BODY', text: 'You have won a free gift, claim it now.' }],
  },
];

const flows: JsonObject[] = [
  {
    id: demoFlowId,
    name: 'Book an appointment',
    status: 'PUBLISHED',
    categories: ['APPOINTMENT_BOOKING'],
    endpoint_uri: 'https://example.com/flows/appointments',
  },
  { id: '998877665544332', name: 'Satisfaction survey', status: 'DRAFT', categories: ['SURVEY'] },
];

const products: JsonObject[] = [
  {
    id: demoProductId,
    retailer_id: 'GG-SHOVEL',
    name: 'Garden shovel',
    description: 'Steel blade, ash handle',
    price: '$24.90',
    currency: 'USD',
    availability: 'in stock',
    url: 'https://example.com/p/shovel',
    image_url: 'https://example.com/i/shovel.jpg',
  },
  {
    id: '7002',
    retailer_id: 'GG-SEEDS',
    name: 'Wildflower seeds',
    description: '200 g mixed seeds',
    price: '$7.50',
    currency: 'USD',
    availability: 'in stock',
    url: 'https://example.com/p/seeds',
    image_url: 'https://example.com/i/seeds.jpg',
  },
  {
    id: '7003',
    retailer_id: 'GG-POT',
    name: 'Terracotta pot',
    description: '30 cm, frost-proof',
    price: '$18.00',
    currency: 'USD',
    availability: 'in stock',
    url: 'https://example.com/p/pot',
    image_url: 'https://example.com/i/pot.jpg',
  },
  {
    id: '7004',
    retailer_id: 'GG-HOSE',
    name: 'Garden hose',
    description: '25 m with fittings',
    price: '$39.00',
    currency: 'USD',
    availability: 'out of stock',
    url: 'https://example.com/p/hose',
    image_url: 'https://example.com/i/hose.jpg',
  },
];
